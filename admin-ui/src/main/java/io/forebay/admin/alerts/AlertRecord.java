/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.admin.verdict.AlertKind;
import io.forebay.admin.verdict.Figures;
import io.forebay.admin.verdict.Problem;
import io.forebay.capacity.Lag;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An alert from its opening to its closing.
 *
 * @param problem with the figures at its peak; the last ones if the figure stayed there
 * @param severity the highest severity that it had
 * @param opened when the state or the figure began to be one that raises the alert
 * @param closed null while it is open
 * @param peak the worst value of its figure, in the unit of the kind; of {@link AlertKind#LATE} the
 *     most seconds behind, because its forecast is shortest at the beginning; null for a state
 */
public record AlertRecord(
    @JsonUnwrapped @JsonIgnoreProperties({"severity", "since", "figure"}) Problem problem,
    Severity severity,
    Instant opened,
    @Nullable Instant closed,
    @Nullable Double peak) {

  static AlertRecord opened(Problem problem, Instant now) {
    Instant since = problem.since().isBefore(now) ? problem.since() : now;
    return new AlertRecord(problem, problem.severity(), since, null, value(problem));
  }

  AlertRecord opened(Instant at) {
    return new AlertRecord(problem, severity, at, closed, peak);
  }

  String id() {
    return problem.id();
  }

  private static @Nullable Double value(Problem problem) {
    return problem.kind() == AlertKind.LATE && problem.figures() instanceof Figures.Behind behind
        ? behind.now().lag().behind().map(Lag::seconds).known().orElse(null)
        : problem.figure();
  }

  private boolean isWorse(@Nullable Double value) {
    return problem.kind() == AlertKind.LATE
        ? value != null && (peak == null || value > peak)
        : problem.kind().isWorse(value, peak);
  }

  /** As it is open now. */
  AlertRecord seen(Problem now) {
    boolean isWorse = now.severity().compareTo(severity) > 0;
    Double value = value(now);
    boolean peaks = isWorse(value);
    boolean stays = peak != null && peak.equals(value);
    return new AlertRecord(
        isWorse || peaks || stays ? now : problem,
        isWorse ? now.severity() : severity,
        opened,
        null,
        peaks ? value : peak);
  }

  AlertRecord closed(Instant at) {
    return new AlertRecord(problem, severity, opened, at, peak);
  }
}
