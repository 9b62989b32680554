/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.admin.verdict.AlertKind;
import io.forebay.admin.verdict.Figures;
import io.forebay.admin.verdict.Problem;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An alert from its opening to its closing.
 *
 * @param id see {@link Problem}
 * @param severity the highest severity that it had
 * @param opened when the state or the figure began to be one that raises the alert
 * @param closed null while it is open
 * @param peak the worst value of its figure, in the unit of the kind; null for a state
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
        problem.figure(),
        problem.figures());
  }

  /** As it is open now. */
  AlertRecord seen(Problem problem) {
    boolean worse = problem.severity().compareTo(severity) > 0;
    boolean peaks = problem.kind().isWorse(problem.figure(), peak);
    boolean stays = peak != null && peak.equals(problem.figure());
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
            peaks ? problem.figure() : peak,
            problem.figures())
        : this;
  }

  AlertRecord closed(Instant at) {
    return new AlertRecord(id, kind, service, volume, job, severity, opened, at, peak, figures);
  }
}
