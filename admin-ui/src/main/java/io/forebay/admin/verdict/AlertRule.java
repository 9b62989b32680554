/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import java.time.Duration;

/**
 * When a figure raises an alert. The alert opens when the figure has been past a mark for a while.
 * It closes when the figure has been well back for a longer time, so that a figure near the mark
 * does not make it flicker.
 *
 * @param worse which side of the mark is bad
 * @param watch the mark of severity WATCH
 * @param bad the mark of severity BAD
 * @param leaveAfter how long the figure must be back before the alert closes
 */
public record AlertRule(Worse worse, Mark watch, Mark bad, Duration leaveAfter) {

  static final Duration ENTER_AFTER = Duration.ofSeconds(15);
  static final Duration LEAVE_AFTER = Duration.ofMinutes(2);

  /**
   * A figure is back below this share of the mark or, if lower is worse, above the mark / share.
   */
  static final double LEAVE_SHARE = 0.8;

  /** Which side is bad. */
  public enum Worse {
    /** At the mark and above. */
    HIGHER,
    /** Below the mark. */
    LOWER
  }

  /**
   * @param value in the unit of the figure
   * @param enterAfter how long the figure must be past it before the alert opens
   */
  public record Mark(double value, Duration enterAfter) {

    public Mark(double value) {
      this(value, ENTER_AFTER);
    }
  }

  /**
   * @throws IllegalArgumentException if a figure would reach {@code bad} before {@code watch}
   */
  public AlertRule {
    boolean ordered =
        worse == Worse.HIGHER ? watch.value() <= bad.value() : watch.value() >= bad.value();
    if (!ordered) {
      throw new IllegalArgumentException(
          "an alert must reach watch before bad (worse=%s, watch=%s, bad=%s)"
              .formatted(worse, watch.value(), bad.value()));
    }
  }

  /**
   * A rule with the usual times: opens after 15 s, closes after 2 minutes below 80 % of the mark.
   */
  public static AlertRule higherIsWorse(double watch, double bad) {
    return new AlertRule(Worse.HIGHER, new Mark(watch), new Mark(bad), LEAVE_AFTER);
  }

  /**
   * A rule with the usual times: opens after 15 s, closes after 2 minutes above the mark / 80 %.
   */
  public static AlertRule lowerIsWorse(double watch, double bad) {
    return lowerIsWorse(new Mark(watch), new Mark(bad));
  }

  public static AlertRule lowerIsWorse(Mark watch, Mark bad) {
    return new AlertRule(Worse.LOWER, watch, bad, LEAVE_AFTER);
  }

  /** The same rule, but it closes after another time. */
  AlertRule leavingAfter(Duration time) {
    return new AlertRule(worse, watch, bad, time);
  }

  boolean isPast(Mark mark, double value) {
    return worse == Worse.HIGHER ? value >= mark.value() : value < mark.value();
  }

  boolean isBack(Mark mark, double value) {
    return worse == Worse.HIGHER
        ? value < mark.value() * LEAVE_SHARE
        : value > mark.value() / LEAVE_SHARE;
  }
}
