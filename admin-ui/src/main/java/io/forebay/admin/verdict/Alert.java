/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.Figure;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The state of one alert. Immutable: {@link #next} returns the state after a new figure. An unknown
 * figure keeps the state but restarts the waiting times, because the figure may have changed sides
 * unseen.
 */
public final class Alert {

  /** In ascending order of urgency. */
  public enum Severity {
    FINE,
    WATCH,
    BAD
  }

  private final AlertRule rule;
  private final Latch watch;
  private final Latch bad;

  private Alert(AlertRule rule, Latch watch, Latch bad) {
    this.rule = rule;
    this.watch = watch;
    this.bad = bad;
  }

  /** Creates an alert that is not open. */
  public static Alert fine(AlertRule rule) {
    return new Alert(rule, Latch.OFF, Latch.OFF);
  }

  public Severity severity() {
    return bad.on() ? Severity.BAD : watch.on() ? Severity.WATCH : Severity.FINE;
  }

  /** When it opened, at whatever severity; empty while fine. */
  public Optional<Instant> since() {
    return watch.on() ? watch.since() : bad.on() ? bad.since() : Optional.empty();
  }

  /** Returns the state after this figure. */
  public Alert next(Instant now, Figure<Double> figure) {
    return new Alert(
        rule, watch.next(now, figure, rule, rule.watch()), bad.next(now, figure, rule, rule.bad()));
  }

  /**
   * Whether one mark is passed.
   *
   * @param since since when it is on
   * @param turning since when the figure has been on the other side of the mark
   */
  private record Latch(boolean on, Optional<Instant> since, Optional<Instant> turning) {

    private static final Latch OFF = new Latch(false, Optional.empty(), Optional.empty());

    Latch next(Instant now, Figure<Double> figure, AlertRule rule, AlertRule.Mark mark) {
      boolean other =
          figure
              .known()
              .filter(value -> on ? rule.isBack(mark, value) : rule.isPast(mark, value))
              .isPresent();
      if (!other) {
        return new Latch(on, since, Optional.empty());
      }
      Instant began = turning.filter(it -> !it.isAfter(now)).orElse(now);
      Duration needed = on ? rule.leaveAfter() : mark.enterAfter();
      if (Duration.between(began, now).compareTo(needed) < 0) {
        return new Latch(on, since, Optional.of(began));
      }
      return on ? OFF : new Latch(true, Optional.of(now), Optional.empty());
    }
  }
}
