/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of alerts, in the order in which equally urgent ones are listed, with their rules.
 * {@code docker/prometheus/forebay-rules.yml} has the same ones.
 */
public enum AlertKind {
  FAILED(null),
  WAITING(null),
  REFUSING(null),
  STALLED(null),
  LATE(
      // A time until late is known only once it lasts, or if the intake leaves no doubt.
      AlertRule.lowerIsWorse(
              new AlertRule.Mark(15 * 60, Duration.ofSeconds(1)),
              new AlertRule.Mark(5 * 60, Duration.ofSeconds(60)))
          .leavingAfter(Duration.ofSeconds(10))),
  BEHIND(AlertRule.higherIsWorse(0.5, 1).leavingAfter(Duration.ofSeconds(10))),
  PAUSED(AlertRule.higherIsWorse(0.5, 1).leavingAfter(Duration.ofSeconds(10))),
  LOSS(AlertRule.lowerIsWorse(0.5, 0.2)),
  DISK(
      // Whoever made room sees at once that it was enough.
      AlertRule.lowerIsWorse(24 * 3600, 4 * 3600).leavingAfter(Duration.ofSeconds(2))),
  SPACE(AlertRule.lowerIsWorse(0.2, 0.1).leavingAfter(Duration.ZERO)),
  DATABASE(AlertRule.higherIsWorse(0.7, 0.9)),
  DEAD(AlertRule.higherIsWorse(1, Double.MAX_VALUE)),
  FAILING(AlertRule.higherIsWorse(0.01, 0.2)),
  BURST(AlertRule.lowerIsWorse(1, 1)),
  INSTANCE(AlertRule.higherIsWorse(3, 15)),
  JOB(null);

  private final @Nullable AlertRule rule;

  AlertKind(@Nullable AlertRule rule) {
    this.rule = rule;
  }

  /** The rule; null for a state, which has no marks. */
  @Nullable
  public AlertRule rule() {
    return rule;
  }

  /** The rule of a kind that has a figure. */
  AlertRule ofFigure() {
    return Objects.requireNonNull(rule);
  }

  /** Whether a value of the figure is worse than another one; null is not known. */
  public boolean isWorse(@Nullable Double value, @Nullable Double than) {
    if (value == null || than == null) {
      return value != null;
    }
    return isLower() ? value < than : value > than;
  }

  private boolean isLower() {
    return rule != null && rule.worse() == AlertRule.Worse.LOWER;
  }
}
