/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.AlertRule;
import io.forebay.capacity.Thresholds;
import io.forebay.text.Formats;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of alerts, in the order in which equally urgent ones are listed. The source for the
 * page, {@code GET /admin/api/v1/alerts} and {@code docker/prometheus/forebay-rules.yml}.
 */
public enum AlertKind {
  FAILED(
      "state",
      "",
      null,
      "forebay_service_state{state=~\"failed|fenced\"} == 1",
      "{{ $labels.service }} stopped with an error and needs an operator"),
  WAITING(
      "state",
      "",
      null,
      "forebay_service_state{state=\"waiting\"} == 1",
      "{{ $labels.service }} is waiting, for example for its database"),
  REFUSING(
      "state",
      "",
      null,
      "forebay_service_accepting == 0",
      "{{ $labels.service }} refuses messages"),
  STALLED(
      "time since a partition stalled",
      "s",
      null,
      "forebay_service_stalled_seconds > 0",
      "A partition of {{ $labels.service }} has been stalled for {{ $value | humanizeDuration }}"),
  LATE(
      "time until the limit is passed",
      "s",
      Thresholds::lateInSeconds,
      "forebay_watch_late_seconds %s"
          + " unless on (instance, service) forebay_service_state{state=\"waiting\"} == 1",
      "{{ $labels.service }} will exceed its limit in {{ $value | humanizeDuration }}"),
  BEHIND(
      "seconds behind / limit",
      "",
      Thresholds::behindShare,
      "forebay_service_behind_seconds / forebay_watch_limit_seconds %s",
      "{{ $labels.service }} is behind: {{ $value | humanizePercentage }} of its limit"),
  PAUSED(
      "seconds behind / limit, while paused",
      "",
      Thresholds::behindShare,
      "forebay_service_behind_seconds / forebay_watch_limit_seconds %s"
          + " and on (instance, service) forebay_service_state{state=\"paused\"} == 1",
      "{{ $labels.service }} is paused and behind: {{ $value | humanizePercentage }} of its limit"),
  LOSS(
      "time until the oldest message is deleted / retention time",
      "",
      Thresholds::lossMarginShare,
      "forebay_watch_loss_share %s",
      "{{ $labels.service }}: {{ $value | humanizePercentage }} of the retention time is left until the oldest message is deleted unperformed"),
  DISK(
      "time until the disk is full, lower bound",
      "s",
      Thresholds::runwayLowSeconds,
      "forebay_watch_runway_low_seconds %s",
      "{{ $labels.volume }} may be full in {{ $value | humanizeDuration }}"),
  SPACE(
      "free share of what may be used of the disk",
      "",
      Thresholds::diskFreeShare,
      "1 - forebay_watch_disk_used_bytes / forebay_watch_disk_stop_bytes %s",
      "{{ $value | humanizePercentage }} of what may be used of {{ $labels.volume }} is free"),
  MEMORY(
      "memory waiting for the disk / amount at which writers are slowed",
      "",
      Thresholds::dirtyShare,
      "forebay_watch_dirty_share %s",
      "Memory waiting for the disk is at {{ $value | humanizePercentage }} of the amount at which appends slow down"),
  DATABASE(
      "busy share of the database workers, 60 s",
      "",
      Thresholds::databaseBusyShare,
      "forebay_watch_busy_share %s",
      "The workers of {{ $labels.service }} are busy {{ $value | humanizePercentage }} of the time"),
  DEAD(
      "dead letters in 15 minutes",
      "",
      Thresholds::deadLetters,
      "increase(forebay_service_dead_letters_messages_total[15m]) %s",
      "{{ $labels.service }} has {{ $value | humanize }} new dead letters"),
  FAILING(
      "failed / performed statements in 15 minutes, from 10 failures on, or 3 if half of all fail; if 20 failed in the last minute, since those began",
      "",
      Thresholds::deadLetterShare,
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
      "time until the reference burst passes the limit / usual burst length",
      "",
      Thresholds::burstShare,
      "forebay_watch_burst_share %s",
      "{{ $labels.service }} stays within its limit for {{ $value | humanizePercentage }} of a usual burst"),
  INSTANCE(
      "time since another instance was seen",
      "s",
      Thresholds::ageSeconds,
      "forebay_watch_age_seconds %s",
      "The figures of {{ $labels.instance }} are {{ $value | humanizeDuration }} old"),
  JOB("state", "", null, "forebay_job_failed == 1", "Job {{ $labels.job_name }} failed");

  private final String figure;
  private final String unit;
  private final @Nullable AlertRule rule;
  private final String expression;
  private final String summary;

  AlertKind(
      String figure,
      String unit,
      @Nullable Function<Thresholds, AlertRule> rule,
      String expression,
      String summary) {
    this.figure = figure;
    this.unit = unit;
    this.rule = rule == null ? null : rule.apply(Thresholds.DEFAULT);
    this.expression = expression;
    this.summary = summary;
  }

  /** The figure that it watches. */
  public String figure() {
    return figure;
  }

  /** The unit: seconds, or none for a share or a count. */
  public String unit() {
    return unit;
  }

  /** The rule; null for a state, which has no marks. */
  @Nullable
  public AlertRule rule() {
    return rule;
  }

  /** Whether it concerns the host of an instance, so that no other instance sees it. */
  public boolean isOfHost() {
    return this == DISK || this == SPACE || this == MEMORY;
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

  /** A value of the figure as people read it. */
  public String text(double value) {
    if (value == Double.MAX_VALUE) {
      return "never";
    }
    if (unit.equals("s")) {
      return Formats.duration(value);
    }
    return this == DEAD ? Formats.number(value) : Formats.share(value);
  }

  /** When it opens and closes, such as "opens at 1 %, closes below 0.8 %"; null for a state. */
  @Nullable
  public String marks() {
    AlertRule it = rule;
    if (it == null) {
      return null;
    }
    double watch = it.watch().value();
    double bad = it.bad().value();
    double back = isLower() ? watch / it.leaveShare() : watch * it.leaveShare();
    String past = isLower() ? "below " : "at ";
    boolean worsens = bad != watch && bad != Double.MAX_VALUE;
    return "opens "
        + past
        + text(watch)
        + (this == DISK ? ", at once below " + Formats.duration(DiskJudge.SOON) : "")
        + (worsens ? ", bad " + past + text(bad) + badAfter(it) : "")
        + (isLower() ? ", closes above " : ", closes below ")
        + text(this == DEAD ? Math.ceil(back) : back);
  }

  /** When it opens or closes sooner than by its rule; null if never. */
  @Nullable
  public String sooner() {
    return switch (this) {
      case FAILING ->
          "opens at once if 20 failed in the last minute, and 5 % of what was performed since they"
              + " began; closes at once when they have ended and none is open";
      case DATABASE ->
          "opens after 10 s if each message takes at least 1.5 times as long as usual (after 5 s at"
              + " 3 times)";
      default -> null;
    };
  }

  /** How long it must be past the second mark, if that is longer than for the first one. */
  private static String badAfter(AlertRule rule) {
    Duration wait = rule.bad().enterAfter();
    return wait.compareTo(rule.watch().enterAfter()) > 0 ? " for " + Formats.duration(wait) : "";
  }

  /** The condition in PromQL, with the metrics of {@code docs/metrics.md}. */
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
