/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.verdict.AlertKind;
import io.forebay.admin.verdict.AlertRule;
import io.forebay.admin.verdict.AlertRule.Mark;
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
      return state(words(kind), name(kind), kind.prometheus(), kind.summary());
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
            kind.past(mark),
            mark.enterAfter(),
            rule.leaveAfter(),
            kind.summary())
        .yaml(name(kind));
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
