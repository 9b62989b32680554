/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import io.forebay.capacity.AlertRule.Mark;
import java.time.Duration;

/**
 * The default marks, each in the unit of its name. An alert on two figures has two rules; the more
 * urgent one counts.
 *
 * @param behindShare seconds behind / limit
 * @param lateInSeconds time until a message has waited longer than the limit
 * @param databaseBusyShare busy share of the last 60 s
 * @param burstShare how long the reference burst stays on time / how long bursts usually last
 * @param runwayLowSeconds the low edge of the disk runway
 * @param diskFreeShare free bytes of a disk / those that may be used
 * @param lossMarginShare time left / retention, if retention depends on time alone
 * @param deadLetters new ones in 15 minutes
 * @param deadLetterShare share of the messages performed in 15 minutes, or since many began to fail
 * @param ageSeconds age of the figures themselves
 */
public record Thresholds(
    AlertRule behindShare,
    AlertRule lateInSeconds,
    AlertRule databaseBusyShare,
    AlertRule burstShare,
    AlertRule runwayLowSeconds,
    AlertRule diskFreeShare,
    AlertRule lossMarginShare,
    AlertRule deadLetters,
    AlertRule deadLetterShare,
    AlertRule ageSeconds) {

  private static final double NEVER = Double.MAX_VALUE;

  /** A time until late is known only once it lasts, or if the intake leaves no doubt. */
  private static final Duration AT_ONCE = Duration.ofSeconds(1);

  /** Whoever waits for a service to recover sees it soon; see the page for what was. */
  private static final Duration CALM = Duration.ofSeconds(10);

  /** Whoever made room sees at once that it was enough. */
  private static final Duration SOON = Duration.ofSeconds(2);

  public static final Thresholds DEFAULT =
      new Thresholds(
          AlertRule.higherIsWorse(0.5, 1).leavingAfter(CALM),
          AlertRule.lowerIsWorse(
                  new Mark(15 * 60, AT_ONCE), new Mark(5 * 60, Duration.ofSeconds(60)))
              .leavingAfter(CALM),
          AlertRule.higherIsWorse(0.7, 0.9),
          AlertRule.lowerIsWorse(1, 1),
          AlertRule.lowerIsWorse(24 * 3600, 4 * 3600).leavingAfter(SOON),
          AlertRule.lowerIsWorse(0.2, 0.1).leavingAfter(Duration.ZERO),
          AlertRule.lowerIsWorse(0.5, 0.2),
          AlertRule.higherIsWorse(1, NEVER),
          AlertRule.higherIsWorse(0.01, 0.2),
          AlertRule.higherIsWorse(3, 15));
}
