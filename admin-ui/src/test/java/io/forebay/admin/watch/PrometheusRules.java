/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.verdict.AlertKind;
import io.forebay.admin.verdict.AlertRule;
import io.forebay.admin.verdict.AlertRule.Mark;
import io.forebay.report.RecentFailures;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** The alerts of the page, as rules for Prometheus. */
final class PrometheusRules {

  private static final String HEAD =
      """
      # Generated from the thresholds of the admin page; do not edit. Regenerate with `mvn test -pl admin-ui -am -Dtest=PrometheusRulesTest
      # -Dsurefire.failIfNoSpecifiedTests=false -Dforebay.docs.write=true`. Needs Prometheus 2.42 or later.
      # What to do about each alert: docs/admin.md.
      groups:
        - name: forebay
          rules:
      """;

  private record Rule(
      String name, String severity, String expression, Duration after, Duration keep, String says) {

    String yaml(String kind) {
      return """
          - alert: %s
            expr: %s
            for: %ds
            keep_firing_for: %ds
            labels:
              severity: %s
              kind: %s
            annotations:
              summary: '%s'
      """
          .formatted(name, expression, after.toSeconds(), keep.toSeconds(), severity, kind, says)
          .indent(2);
    }
  }

  /** Alerts that the page cannot raise about its own process. */
  private static final String OWN =
      state(
          "Gone",
          "instance",
          "up{job=\"forebay\"} == 0",
          "{{ $labels.instance }} is not responding");

  /** Their severity is at most WATCH, or needs the failures of the last minute. */
  private static final Set<AlertKind> ONLY_WATCHED = EnumSet.of(AlertKind.FAILING, AlertKind.BURST);

  private PrometheusRules() {}

  static String yaml() {
    return HEAD
        + Arrays.stream(AlertKind.values()).map(PrometheusRules::yaml).collect(Collectors.joining())
        + OWN;
  }

  private static String yaml(AlertKind kind) {
    AlertRule rule = kind.rule();
    if (rule == null) {
      return state(words(kind), name(kind), text(kind).expression(), text(kind).summary());
    }
    boolean same = rule.watch().value() == rule.bad().value();
    boolean never = rule.bad().value() == Double.MAX_VALUE || ONLY_WATCHED.contains(kind);
    return (same && !never ? "" : yaml(kind, rule, rule.watch(), "Watch", "watch"))
        + (never ? "" : yaml(kind, rule, rule.bad(), "", "bad"));
  }

  private static String yaml(
      AlertKind kind, AlertRule rule, Mark mark, String suffix, String severity) {
    return new Rule(
            "Forebay" + words(kind) + suffix,
            severity,
            past(rule, mark, text(kind).expression()),
            mark.enterAfter(),
            rule.leaveAfter(),
            text(kind).summary())
        .yaml(name(kind));
  }

  /** The condition that the figure is past a mark. */
  private static String past(AlertRule rule, Mark mark, String expression) {
    double value = mark.value();
    return expression.formatted(
        (rule.worse() == AlertRule.Worse.LOWER ? "< " : ">= ")
            + (value == Math.rint(value) ? Long.toString((long) value) : Double.toString(value)));
  }

  /** In PromQL, with the metrics of {@code docs/admin.md}, and in Prometheus' template language. */
  private record Text(String expression, String summary) {}

  private static Text text(AlertKind kind) {
    return switch (kind) {
      case FAILED ->
          new Text(
              "forebay_service_state{state=~\"failed|fenced\"} == 1",
              "{{ $labels.service }} stopped with an error and needs an operator");
      case WAITING ->
          new Text(
              "forebay_service_state{state=\"waiting\"} == 1",
              "{{ $labels.service }} is waiting, for example for its database");
      case REFUSING ->
          new Text("forebay_service_accepting == 0", "{{ $labels.service }} refuses messages");
      case STALLED ->
          new Text(
              "forebay_service_stalled_seconds > 0",
              "A partition of {{ $labels.service }} has been stalled for {{ $value | humanizeDuration }}");
      case LATE ->
          new Text(
              "forebay_watch_late_seconds %s"
                  + " unless on (instance, service) forebay_service_state{state=\"waiting\"} == 1",
              "{{ $labels.service }} will exceed its limit in {{ $value | humanizeDuration }}");
      case BEHIND ->
          new Text(
              "forebay_service_behind_seconds / forebay_watch_limit_seconds %s",
              "{{ $labels.service }} is behind: {{ $value | humanizePercentage }} of its limit");
      case PAUSED ->
          new Text(
              "forebay_service_behind_seconds / forebay_watch_limit_seconds %s"
                  + " and on (instance, service) forebay_service_state{state=\"paused\"} == 1",
              "{{ $labels.service }} is paused and behind: {{ $value | humanizePercentage }} of its limit");
      case LOSS ->
          new Text(
              "forebay_watch_loss_share %s",
              "{{ $labels.service }}: {{ $value | humanizePercentage }} of the retention time is left until the oldest message is deleted unperformed");
      case DISK ->
          new Text(
              "forebay_watch_runway_low_seconds %s",
              "{{ $labels.volume }} may be full in {{ $value | humanizeDuration }}");
      case SPACE ->
          new Text(
              "1 - forebay_watch_disk_used_bytes / forebay_watch_disk_stop_bytes %s",
              "{{ $value | humanizePercentage }} of what may be used of {{ $labels.volume }} is free");
      case DATABASE ->
          new Text(
              "forebay_watch_busy_share %s",
              "The workers of {{ $labels.service }} are busy {{ $value | humanizePercentage }} of the time");
      case DEAD ->
          new Text(
              "increase(forebay_service_dead_letters_messages_total[15m]) %s",
              "{{ $labels.service }} has {{ $value | humanize }} new dead letters");
      case FAILING ->
          new Text(
              "increase(forebay_service_failed_messages_total[15m])"
                  + " / increase(forebay_service_performed_messages_total[15m]) %s"
                  + " and increase(forebay_service_failed_messages_total[15m]) >= "
                  + RecentFailures.LEAST
                  + " or increase(forebay_service_failed_messages_total[15m])"
                  + " / increase(forebay_service_performed_messages_total[15m]) >= "
                  + RecentFailures.MOST
                  + " and increase(forebay_service_failed_messages_total[15m]) >= "
                  + RecentFailures.FEW,
              "{{ $value | humanizePercentage }} of the statements of {{ $labels.service }} fail");
      case BURST ->
          new Text(
              "forebay_watch_burst_share %s",
              "{{ $labels.service }} stays within its limit for {{ $value | humanizePercentage }} of a usual burst");
      case INSTANCE ->
          new Text(
              "forebay_watch_age_seconds %s",
              "The figures of {{ $labels.instance }} are {{ $value | humanizeDuration }} old");
      case JOB -> new Text("forebay_job_failed == 1", "Job {{ $labels.job_name }} failed");
    };
  }

  private static String name(AlertKind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  private static String words(AlertKind kind) {
    return kind.name().charAt(0) + name(kind).substring(1);
  }

  /** A state must last a minute before it alerts. */
  private static String state(String name, String kind, String expression, String says) {
    return new Rule(
            "Forebay" + name, "bad", expression, Duration.ofMinutes(1), Duration.ofMinutes(2), says)
        .yaml(kind);
  }
}
