/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import io.forebay.admin.alerts.AlertRecord.Reported;
import io.forebay.admin.history.HistoryDirectory;
import io.forebay.admin.verdict.Problem;
import io.forebay.admin.verdict.Problem.Acknowledgement;
import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * The alerts of this instance: those that are open, and up to 2,000 closed ones of the last 30
 * days. A separate thread stores them in the file {@code alerts} of the history directory, at once
 * when one opens, closes, gets worse or is acknowledged, and every ten seconds for a new peak.
 * After a kill the file has the state of at most that time ago; an alert that was open is open
 * again, and closes if it is not seen within a minute. Thread-safe; only {@link #awaitStored} waits
 * for the disk.
 */
public final class AlertLog implements SmartLifecycle {

  /** How long closed alerts are kept. */
  public static final Duration KEPT = Duration.ofDays(30);

  static final int MOST = 2_000;

  /** An alert closes when it was not seen for this time. */
  static final Duration SETTLES = Duration.ofSeconds(3);

  /** After a start, figures need some time until they are known. */
  static final Duration KNOWN_AFTER = Duration.ofMinutes(1);

  private static final Logger log = LoggerFactory.getLogger(AlertLog.class);
  private static final Duration TURN = Duration.ofSeconds(1);
  private static final Duration PEAKS = Duration.ofSeconds(10);
  private static final Duration SHARED = Duration.ofMinutes(1);
  private static final int MOST_SHARED = 20;

  private final AlertFile file;
  private final BackgroundTask saving;
  private final Map<String, AlertRecord> open = new LinkedHashMap<>();
  private final List<AlertRecord> closed = new ArrayList<>();
  private final Map<String, Instant> lastSeen = new HashMap<>();
  private Instant began = Instant.MAX;
  private long changes;
  private long attempted;
  private boolean peaked;
  private int turns;
  private volatile boolean running;

  public AlertLog(HistoryDirectory directory) {
    file = new AlertFile(directory);
    saving =
        new BackgroundTask(
            "forebay-alerts",
            TURN,
            new Outage(log, "Saving the history of alerts", "it is retried every second"),
            this::turn);
  }

  @Override
  public void start() {
    try {
      load();
    } catch (IOException | RuntimeException e) {
      log.warn("History of alerts starts over: its file cannot be read", e);
    }
    running = true;
    saving.start(TURN);
  }

  private synchronized void load() throws IOException {
    open.clear();
    closed.clear();
    for (AlertRecord alert : file.load()) {
      if (alert.closed() == null) {
        open.put(alert.id(), alert);
      } else {
        closed.add(alert);
      }
    }
  }

  private void turn() throws IOException {
    turns++;
    save(turns % PEAKS.toSeconds() == 0);
  }

  /** Replaces the file if something changed. */
  private void save(boolean withPeaks) throws IOException {
    List<AlertRecord> all;
    long upTo;
    synchronized (this) {
      if (attempted == changes && !(peaked && withPeaks)) {
        return;
      }
      all = new ArrayList<>(closed);
      all.addAll(open.values());
      upTo = changes;
      peaked = false;
    }
    try {
      file.save(all);
    } catch (IOException | RuntimeException e) {
      synchronized (this) {
        changes++;
      }
      throw e;
    } finally {
      synchronized (this) {
        attempted = upTo;
        notifyAll();
      }
    }
  }

  /**
   * Waits until all changes so far are stored, or their storing has failed. Does not wait longer
   * than the given time: the disk may hang.
   */
  synchronized void awaitStored(Duration atMost) throws InterruptedException {
    long upTo = changes;
    long end = System.nanoTime() + atMost.toNanos();
    for (long left = atMost.toNanos();
        attempted < upTo && left > 0;
        left = end - System.nanoTime()) {
      TimeUnit.NANOSECONDS.timedWait(this, left);
    }
  }

  private void change() {
    changes++;
    saving.wake();
  }

  /** Records which alerts are open, every second. */
  public synchronized void observe(List<Problem> problems, Instant now) {
    if (began.isAfter(now)) {
      began = now;
    }
    Set<String> present = new HashSet<>();
    for (Problem problem : problems) {
      present.add(problem.id());
      lastSeen.put(problem.id(), now);
      AlertRecord before = open.get(problem.id());
      AlertRecord after =
          before == null ? AlertRecord.opened(problem, now) : before.seen(problem, now);
      if (after != before) {
        open.put(problem.id(), after);
        peaked = true;
        if (before == null || before.severity() != after.severity()) {
          change();
        }
      }
    }
    for (AlertRecord alert : List.copyOf(open.values())) {
      if (!present.contains(alert.id())) {
        // If the clock was set back, the time begins again.
        lastSeen.computeIfPresent(alert.id(), (_, seen) -> seen.isAfter(now) ? now : seen);
        if (!now.isBefore(openUntil(alert))) {
          close(alert, now);
        }
      }
    }
    if (closed.removeIf(it -> closedAt(it).isBefore(now.minus(KEPT)))) {
      change();
    }
  }

  private Instant openUntil(AlertRecord alert) {
    Instant seen = lastSeen.get(alert.id());
    return seen == null ? began.plus(KNOWN_AFTER) : seen.plus(SETTLES);
  }

  /** One of the run before that was not seen in this one counts as closed at the start. */
  private void close(AlertRecord alert, Instant now) {
    Instant seen = lastSeen.remove(alert.id());
    open.remove(alert.id());
    closed.add(alert.closed(seen == null ? began : seen, now));
    if (closed.size() > MOST) {
      closed.removeFirst();
    }
    change();
  }

  private static Instant closedAt(AlertRecord alert) {
    Instant at = alert.closed();
    return at == null ? Instant.MAX : at;
  }

  /** Adds to open alerts when they opened and who has acknowledged them. */
  public synchronized List<Problem> apply(List<Problem> problems) {
    return problems.stream()
        .map(it -> {
          AlertRecord alert = open.get(it.id());
          return alert == null ? it : it.opened(alert.opened()).acknowledged(alert.acknowledged());
        })
        .toList();
  }

  /**
   * Acknowledges an open alert; replaces an earlier acknowledgement.
   *
   * @return whether it is open
   */
  public synchronized boolean acknowledge(String id, Acknowledgement by) {
    AlertRecord alert = open.get(id);
    if (alert == null) {
      return false;
    }
    open.put(id, alert.acknowledged(by));
    change();
    return true;
  }

  /** Whether an alert is open. */
  public synchronized boolean isOpen(String id) {
    return open.containsKey(id);
  }

  /** The acknowledgement of an open alert; null if there is none. */
  public synchronized @Nullable Acknowledgement acknowledgement(String id) {
    AlertRecord alert = open.get(id);
    return alert == null ? null : alert.acknowledged();
  }

  /**
   * Replaces exactly this acknowledgement of an open alert. Earlier ones that other instances
   * report later are ignored.
   *
   * @param to null to withdraw it
   * @return false if the alert has another one now, or none
   */
  public synchronized boolean replace(
      String id, @Nullable Acknowledgement from, @Nullable Acknowledgement to, Instant now) {
    AlertRecord alert = open.get(id);
    if (alert == null || from == null || !from.equals(alert.acknowledged())) {
      return false;
    }
    open.put(id, alert.acknowledged(to, now));
    change();
    return true;
  }

  /** The alerts that were open at this time or later, the latest first. */
  public synchronized List<AlertRecord> since(Instant from) {
    List<AlertRecord> all = new ArrayList<>(closed);
    all.addAll(open.values());
    return all.stream()
        .filter(it -> closedAt(it).isAfter(from))
        .sorted(Comparator.comparing((AlertRecord it) -> it.opened()).reversed())
        .toList();
  }

  /** What other instances have to know. */
  public synchronized List<Peers.Shared> shared(Instant now) {
    return all()
        .filter(it -> !it.kind().isOfHost() && closedAt(it).isAfter(now.minus(SHARED)))
        .limit(MOST_SHARED)
        .map(AlertRecord::shared)
        .toList();
  }

  /** Takes over what other instances have reported and which alerts were acknowledged there. */
  public synchronized void hear(List<Peers.Peer> peers) {
    for (Peers.Peer peer : peers) {
      for (Peers.Shared shared : peer.alerts()) {
        replace(it -> it.isSameAs(shared), it -> it.heard(shared));
      }
    }
  }

  /** What has to be reported now, the earliest change first. */
  synchronized List<Notice> due(Instant now, Duty duty) {
    List<Notice> due = new ArrayList<>();
    if (began.equals(Instant.MAX)) {
      return due; // nothing was observed since the start
    }
    for (AlertRecord alert : all().toList()) {
      duty.event(alert, now).ifPresent(event -> due.add(new Notice(alert, event)));
    }
    due.sort(Comparator.comparing(it -> it.alert().changed()));
    return due;
  }

  /** The closing of an alert could not be reported for this time, or since this start. */
  synchronized boolean isTooLate(Notice notice, Instant now, Duration limit) {
    Instant from = notice.alert().changed().isAfter(began) ? notice.alert().changed() : began;
    return notice.event() == Notice.Event.CLOSED && from.plus(limit).isBefore(now);
  }

  /** Records that this was reported, or was given up. */
  synchronized void reported(Notice notice, boolean missed) {
    replace(
        it -> it.isSameAs(notice.alert()),
        it ->
            it.reported(
                notice.event() == Notice.Event.CLOSED
                    ? new Reported(it.reported().severity(), true, missed)
                    : new Reported(notice.alert().severity(), it.reported().closed(), false)));
  }

  private void replace(Predicate<AlertRecord> which, UnaryOperator<AlertRecord> by) {
    boolean any = false;
    for (AlertRecord alert : all().filter(which).toList()) {
      AlertRecord after = by.apply(alert);
      if (after != alert) {
        any = true;
        if (alert.closed() == null) {
          open.put(alert.id(), after);
        } else {
          closed.set(closed.lastIndexOf(alert), after);
        }
      }
    }
    if (any) {
      change();
    }
  }

  /** The open ones, then the closed ones from the last to the first. */
  private Stream<AlertRecord> all() {
    return Stream.concat(open.values().stream(), closed.reversed().stream());
  }

  /** Saves what has changed. */
  @Override
  public void stop() {
    saving.close();
    running = false;
    try {
      save(true);
    } catch (IOException | RuntimeException e) {
      log.warn("The history of alerts could not be saved", e);
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Starts before the sampling and stops after it. */
  @Override
  public int getPhase() {
    return Integer.MIN_VALUE + 1;
  }
}
