/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.report.RecentFailures;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of alerts, in the order in which equally urgent ones are listed. The source for the
 * page, {@code GET /admin/api/v1/alerts} and {@code docker/prometheus/forebay-rules.yml}.
 */
public enum AlertKind {
  FAILED(
      null,
      "forebay_service_state{state=~\"failed|fenced\"} == 1",
      "{{ $labels.service }} stopped with an error and needs an operator"),
  WAITING(
      null,
      "forebay_service_state{state=\"waiting\"} == 1",
      "{{ $labels.service }} is waiting, for example for its database"),
  REFUSING(null, "forebay_service_accepting == 0", "{{ $labels.service }} refuses messages"),
  STALLED(
      null,
      "forebay_service_stalled_seconds > 0",
      "A partition of {{ $labels.service }} has been stalled for {{ $value | humanizeDuration }}"),
  LATE(
      // A time until late is known only once it lasts, or if the intake leaves no doubt.
      AlertRule.lowerIsWorse(
              new AlertRule.Mark(15 * 60, Duration.ofSeconds(1)),
              new AlertRule.Mark(5 * 60, Duration.ofSeconds(60)))
          .leavingAfter(Duration.ofSeconds(10)),
      "forebay_watch_late_seconds %s"
          + " unless on (instance, service) forebay_service_state{state=\"waiting\"} == 1",
      "{{ $labels.service }} will exceed its limit in {{ $value | humanizeDuration }}"),
  BEHIND(
      AlertRule.higherIsWorse(0.5, 1).leavingAfter(Duration.ofSeconds(10)),
      "forebay_service_behind_seconds / forebay_watch_limit_seconds %s",
      "{{ $labels.service }} is behind: {{ $value | humanizePercentage }} of its limit"),
  PAUSED(
      AlertRule.higherIsWorse(0.5, 1).leavingAfter(Duration.ofSeconds(10)),
      "forebay_service_behind_seconds / forebay_watch_limit_seconds %s"
          + " and on (instance, service) forebay_service_state{state=\"paused\"} == 1",
      "{{ $labels.service }} is paused and behind: {{ $value | humanizePercentage }} of its limit"),
  LOSS(
      AlertRule.lowerIsWorse(0.5, 0.2),
      "forebay_watch_loss_share %s",
      "{{ $labels.service }}: {{ $value | humanizePercentage }} of the retention time is left until the oldest message is deleted unperformed"),
  DISK(
      // Whoever made room sees at once that it was enough.
      AlertRule.lowerIsWorse(24 * 3600, 4 * 3600).leavingAfter(Duration.ofSeconds(2)),
      "forebay_watch_runway_low_seconds %s",
      "{{ $labels.volume }} may be full in {{ $value | humanizeDuration }}"),
  SPACE(
      AlertRule.lowerIsWorse(0.2, 0.1).leavingAfter(Duration.ZERO),
      "1 - forebay_watch_disk_used_bytes / forebay_watch_disk_stop_bytes %s",
      "{{ $value | humanizePercentage }} of what may be used of {{ $labels.volume }} is free"),
  DATABASE(
      AlertRule.higherIsWorse(0.7, 0.9),
      "forebay_watch_busy_share %s",
      "The workers of {{ $labels.service }} are busy {{ $value | humanizePercentage }} of the time"),
  DEAD(
      AlertRule.higherIsWorse(1, Double.MAX_VALUE),
      "increase(forebay_service_dead_letters_messages_total[15m]) %s",
      "{{ $labels.service }} has {{ $value | humanize }} new dead letters"),
  FAILING(
      AlertRule.higherIsWorse(0.01, 0.2),
      "increase(forebay_service_failed_messages_total[15m])"
          + " / increase(forebay_service_performed_messages_total[15m]) %s"
          + " and increase(forebay_service_failed_messages_total[15m]) >= "
          + RecentFailures.LEAST
          + " or increase(forebay_service_failed_messages_total[15m])"
          + " / increase(forebay_service_performed_messages_total[15m]) >= "
          + RecentFailures.MOST
          + " and increase(forebay_service_failed_messages_total[15m]) >= "
          + RecentFailures.FEW,
      "{{ $value | humanizePercentage }} of the statements of {{ $labels.service }} fail"),
  BURST(
      AlertRule.lowerIsWorse(1, 1),
      "forebay_watch_burst_share %s",
      "{{ $labels.service }} stays within its limit for {{ $value | humanizePercentage }} of a usual burst"),
  INSTANCE(
      AlertRule.higherIsWorse(3, 15),
      "forebay_watch_age_seconds %s",
      "The figures of {{ $labels.instance }} are {{ $value | humanizeDuration }} old"),
  JOB(null, "forebay_job_failed == 1", "Job {{ $labels.job_name }} failed");

  private final @Nullable AlertRule rule;
  private final String expression;
  private final String summary;

  AlertKind(@Nullable AlertRule rule, String expression, String summary) {
    this.rule = rule;
    this.expression = expression;
    this.summary = summary;
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

  /** The condition in PromQL, with the metrics of {@code docs/admin.md}. */
  public String prometheus() {
    return rule == null ? expression : past(rule.watch());
  }

  /** The condition that the figure is past a mark, in PromQL. */
  public String past(AlertRule.Mark mark) {
    String comparison = rule != null && rule.worse() == AlertRule.Worse.LOWER ? "< " : ">= ";
    double value = mark.value();
    return expression.formatted(
        comparison
            + (value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value)));
  }

  /** The text of the alert in Prometheus' template language. */
  public String summary() {
    return summary;
  }
}
