/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The alerts that figures have raised, by kind and subject. A round begins with {@link #begin},
 * gives each figure once, and ends with {@link #end}. Not thread-safe.
 */
final class OpenAlerts {

  private static final Duration LONG_AGO = Duration.ofMinutes(10);

  private final Map<String, Alert> alerts = new HashMap<>();
  private final Set<String> seen = new HashSet<>();
  private boolean first = true;
  private Instant now = Instant.EPOCH;

  /** An open alert of a service, a volume, an instance or the host. */
  record Hit(
      AlertKind kind, String subject, Severity severity, Instant since, double value, double mark) {

    Hit as(AlertKind other) {
      return new Hit(other, subject, severity, since, value, mark);
    }

    Hit bad() {
      return new Hit(kind, subject, Severity.BAD, since, value, kind.ofFigure().bad().value());
    }

    /** Whether its figure is back, so that the alert closes if it stays so. */
    boolean isClosing() {
      return kind.ofFigure().isBack(kind.ofFigure().watch(), value);
    }

    /**
     * @param most the highest severity that it may have
     */
    Problem problem(Severity most, @Nullable Figures figures) {
      Severity shown = severity.compareTo(most) > 0 ? most : severity;
      return Problem.of(kind, subject, shown, since, value, figures);
    }
  }

  static String id(AlertKind kind, String subject) {
    return kind.name().toLowerCase(Locale.ROOT) + "~" + subject.replace('/', '_');
  }

  static Until never() {
    return new Until.Never("the time is unknown");
  }

  void begin(Instant at) {
    now = at;
    seen.clear();
  }

  /** Forgets the alerts whose figures were not given in this round. */
  void end() {
    alerts.keySet().retainAll(seen);
    first = false;
  }

  /** How an alert may deviate from its rule in this round. */
  enum Timing {
    BY_RULE,
    OPEN_AT_ONCE,
    KEEP_OPEN
  }

  Optional<Hit> until(AlertKind kind, String subject, Figure<Until> until, Timing timing) {
    return figure(
        kind,
        subject,
        until.map(it -> it.left().map(left -> left.toNanos() / 1e9).orElse(Double.MAX_VALUE)),
        timing);
  }

  Optional<Hit> figure(AlertKind kind, String subject, Figure<Double> figure) {
    return figure(kind, subject, figure, Timing.BY_RULE);
  }

  Optional<Hit> figure(AlertKind kind, String subject, Figure<Double> figure, Timing timing) {
    String id = id(kind, subject);
    AlertRule rule = kind.ofFigure();
    Alert before = alerts.getOrDefault(id, Alert.fine(rule));
    boolean isHeld =
        timing == Timing.KEEP_OPEN
            && figure.known().filter(it -> kind.isWorse(it, rule.watch().value())).isEmpty();
    Figure<Double> judged = isHeld ? Figure.unknown("the alert is held open") : figure;
    // At the start, a figure counts as having been past its mark for a while.
    boolean atOnce = first || timing == Timing.OPEN_AT_ONCE;
    Alert alert = (atOnce ? before.next(now.minus(LONG_AGO), judged) : before).next(now, judged);
    seen.add(id);
    alerts.put(id, alert);
    if (alert.severity() == Severity.FINE) {
      return Optional.empty();
    }
    AlertRule.Mark mark = alert.severity() == Severity.BAD ? rule.bad() : rule.watch();
    return Optional.of(
        new Hit(
            kind,
            subject,
            alert.severity(),
            alert.since().orElse(now),
            figure.known().orElse(mark.value()),
            mark.value()));
  }
}
