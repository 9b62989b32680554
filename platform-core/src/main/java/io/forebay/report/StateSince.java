/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.report;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** Since when a service is in the state that is shown. Not thread-safe. */
final class StateSince {

  private static final Duration BREAK = Duration.ofSeconds(15);

  private final Map<ServiceReport.State, Shown> shown = new HashMap<>();
  private ServiceReport.State state = ServiceReport.State.UNKNOWN;

  /**
   * A state as it is shown.
   *
   * @param phase since when it is in its phase
   * @param until when it was shown last
   */
  private record Shown(Instant phase, Instant since, Instant until) {}

  /**
   * Since when it is in a state; one thread calls it with each report. While it runs, a break of up
   * to 15 s does not begin a state anew, and what follows on resuming began with it. The time of
   * the phase says nothing of growing or catching up, and starts over with each reason of waiting.
   * A pause that replaced another goes on.
   */
  Instant of(ServiceReport report, Instant now) {
    Instant phase = report.view().state().since();
    Shown same = shown.get(report.state());
    boolean isNewPause =
        report.state() == ServiceReport.State.PAUSED && same != null && !same.phase.equals(phase);
    boolean goesOn =
        same != null
            && !isNewPause
            && (report.state() == state
                || (same.phase.equals(phase) && !same.until.plus(BREAK).isBefore(now)));
    boolean isNewPhase = shown.values().stream().noneMatch(it -> it.phase.equals(phase));
    Shown before = shown.get(state);
    Instant begins =
        before != null && state == ServiceReport.State.RESUMING && before.phase.equals(phase)
            ? before.since
            : now;
    Instant since = goesOn ? Objects.requireNonNull(same).since : isNewPhase ? phase : begins;
    state = report.state();
    shown.put(state, new Shown(phase, since, now));
    return report
        .desired()
        .filter(it -> it.paused() && report.state() == ServiceReport.State.PAUSED)
        .map(it -> it.begun().at())
        .orElse(since);
  }
}
