/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.time.Duration;

/**
 * When a figure is an alert. It must be past a mark for a while to enter, and well on the fine side
 * of it for longer to leave, so that a figure at the mark does not flicker.
 *
 * @param worse the side of the mark that is bad
 * @param watch where to look
 * @param bad where to act
 * @param leaveAfter how long a figure must be back
 * @param leaveShare how far back: below this share of the mark, or above the mark divided by it
 *     where lower is worse
 */
public record AlertRule(Worse worse, Mark watch, Mark bad, Duration leaveAfter, double leaveShare) {

  static final Duration ENTER_AFTER = Duration.ofSeconds(15);
  static final Duration LEAVE_AFTER = Duration.ofMinutes(2);
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
   * @param enterAfter how long it must be past it
   */
  public record Mark(double value, Duration enterAfter) {

    public Mark(double value) {
      this(value, ENTER_AFTER);
    }
  }

  /**
   * @throws IllegalArgumentException if a figure would be bad before it is worth watching
   */
  public AlertRule {
    boolean ordered =
        worse == Worse.HIGHER ? watch.value() <= bad.value() : watch.value() >= bad.value();
    if (!ordered || leaveShare <= 0 || leaveShare > 1) {
      throw new IllegalArgumentException(
          "an alert needs its marks in order and a share to leave in (0, 1] (worse=%s, watch=%s, bad=%s, leaveShare=%s)"
              .formatted(worse, watch.value(), bad.value(), leaveShare));
    }
  }

  /** With the usual times: enters after 15 s, leaves after 2 minutes below 80 % of the mark. */
  public static AlertRule higherIsWorse(double watch, double bad) {
    return higherIsWorse(new Mark(watch), new Mark(bad));
  }

  public static AlertRule higherIsWorse(Mark watch, Mark bad) {
    return new AlertRule(Worse.HIGHER, watch, bad, LEAVE_AFTER, LEAVE_SHARE);
  }

  /** With the usual times: enters after 15 s, leaves after 2 minutes above the mark / 80 %. */
  public static AlertRule lowerIsWorse(double watch, double bad) {
    return lowerIsWorse(new Mark(watch), new Mark(bad));
  }

  public static AlertRule lowerIsWorse(Mark watch, Mark bad) {
    return new AlertRule(Worse.LOWER, watch, bad, LEAVE_AFTER, LEAVE_SHARE);
  }

  boolean isPast(Mark mark, double value) {
    return worse == Worse.HIGHER ? value >= mark.value() : value < mark.value();
  }

  boolean isBack(Mark mark, double value) {
    return worse == Worse.HIGHER
        ? value < mark.value() * leaveShare
        : value > mark.value() / leaveShare;
  }
}
