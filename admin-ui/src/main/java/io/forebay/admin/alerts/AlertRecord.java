/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

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
 * @param id see {@link Problem}
 * @param severity the highest severity that it had
 * @param opened when the state or the figure began to be one that raises the alert
 * @param closed null while it is open
 * @param peak the worst value of its figure, in the unit of the kind; of {@link AlertKind#LATE} the
 *     most seconds behind, because its forecast is shortest at the beginning; null for a state
 * @param figures those at its peak; the last ones if the figure stayed there
 */
public record AlertRecord(
    String id,
    AlertKind kind,
    @Nullable String service,
    @Nullable String volume,
    @Nullable String job,
    Severity severity,
    Instant opened,
    @Nullable Instant closed,
    @Nullable Double peak,
    @Nullable Figures figures) {

  static AlertRecord opened(Problem problem, Instant now) {
    return new AlertRecord(
        problem.id(),
        problem.kind(),
        problem.service(),
        problem.volume(),
        problem.job(),
        problem.severity(),
        problem.since().isBefore(now) ? problem.since() : now,
        null,
        value(problem),
        problem.figures());
  }

  private static @Nullable Double value(Problem problem) {
    return problem.kind() == AlertKind.LATE && problem.figures() instanceof Figures.Behind behind
        ? behind.now().lag().behind().map(Lag::seconds).known().orElse(null)
        : problem.figure();
  }

  private boolean isWorse(@Nullable Double value) {
    return kind == AlertKind.LATE
        ? value != null && (peak == null || value > peak)
        : kind.isWorse(value, peak);
  }

  /** As it is open now. */
  AlertRecord seen(Problem problem) {
    boolean worse = problem.severity().compareTo(severity) > 0;
    Double value = value(problem);
    boolean peaks = isWorse(value);
    boolean stays = peak != null && peak.equals(value);
    return worse || peaks || stays
        ? new AlertRecord(
            id,
            kind,
            service,
            volume,
            job,
            worse ? problem.severity() : severity,
            opened,
            null,
            peaks ? value : peak,
            problem.figures())
        : this;
  }

  AlertRecord closed(Instant at) {
    return new AlertRecord(id, kind, service, volume, job, severity, opened, at, peak, figures);
  }
}
