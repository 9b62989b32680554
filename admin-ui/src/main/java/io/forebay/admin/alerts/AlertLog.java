/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import io.forebay.admin.verdict.Problem;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The alerts of this process: those that are open, and up to 1,000 that closed in the last 24
 * hours. They are in memory only. Thread-safe.
 */
public final class AlertLog {

  /** How long closed alerts are kept. */
  public static final Duration KEPT = Duration.ofHours(24);

  private static final int MOST = 1_000;

  /** An alert closes when it was not seen for this time. */
  private static final Duration SETTLES = Duration.ofSeconds(3);

  private final Consumer<AlertChange> changes;
  private final Map<String, AlertRecord> open = new LinkedHashMap<>();
  private final List<AlertRecord> closed = new ArrayList<>();
  private final Map<String, Instant> lastSeen = new HashMap<>();

  /** Tells nobody of changes. */
  public AlertLog() {
    this(_ -> {});
  }

  /**
   * @param changes gets each change; must not block
   */
  AlertLog(Consumer<AlertChange> changes) {
    this.changes = changes;
  }

  /** Records which alerts are open, every second. */
  public synchronized void observe(List<Problem> problems, Instant now) {
    for (Problem problem : problems) {
      lastSeen.put(problem.id(), now);
      AlertRecord before = open.get(problem.id());
      AlertRecord after = before == null ? opened(problem, now) : before.seen(problem);
      open.put(problem.id(), after);
      if (before == null) {
        changes.accept(new AlertChange(after, AlertChange.Event.OPENED));
      } else if (after.severity() != before.severity()) {
        changes.accept(new AlertChange(after, AlertChange.Event.WORSE));
      }
    }
    for (AlertRecord alert : List.copyOf(open.values())) {
      // If the clock was set back, the time begins again.
      Instant seen = lastSeen.merge(alert.id(), now, (last, at) -> last.isAfter(at) ? at : last);
      if (!now.isBefore(seen.plus(SETTLES))) {
        close(alert.closed(seen));
      }
    }
    closed.removeIf(it -> !isOpenAfter(it, now.minus(KEPT)));
  }

  /** One that comes back is another alert, so that no two changes have the same id. */
  private AlertRecord opened(Problem problem, Instant now) {
    AlertRecord alert = AlertRecord.opened(problem, now);
    boolean isBack =
        closed.stream()
            .anyMatch(it -> it.id().equals(alert.id()) && !it.opened().isBefore(alert.opened()));
    return isBack ? alert.opened(now) : alert;
  }

  private void close(AlertRecord alert) {
    lastSeen.remove(alert.id());
    open.remove(alert.id());
    closed.add(alert);
    if (closed.size() > MOST) {
      closed.removeFirst();
    }
    changes.accept(new AlertChange(alert, AlertChange.Event.CLOSED));
  }

  private static boolean isOpenAfter(AlertRecord alert, Instant from) {
    @Nullable Instant end = alert.closed();
    return end == null || end.isAfter(from);
  }

  /** Adds to open alerts when they opened. */
  public synchronized List<Problem> apply(List<Problem> problems) {
    return problems.stream()
        .map(it -> {
          AlertRecord alert = open.get(it.id());
          return alert == null ? it : it.opened(alert.opened());
        })
        .toList();
  }

  /** The alerts that were open after this time, the latest first. */
  public synchronized List<AlertRecord> since(Instant from) {
    List<AlertRecord> all = new ArrayList<>(closed);
    all.addAll(open.values());
    return all.stream()
        .filter(it -> isOpenAfter(it, from))
        .sorted(Comparator.comparing((AlertRecord it) -> it.opened()).reversed())
        .toList();
  }
}
