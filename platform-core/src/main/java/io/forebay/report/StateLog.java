/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.report;

import io.forebay.capacity.Figure;
import io.forebay.text.Formats;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Logs each change of the state of a service, in one line with its figures, once the state has
 * lasted for 5 s; a failure at once. Not thread-safe.
 */
final class StateLog {

  private static final Logger log = LoggerFactory.getLogger(StateLog.class);
  private static final Duration LASTS = Duration.ofSeconds(5);

  private static final Set<ServiceReport.State> WORKING =
      EnumSet.of(
          ServiceReport.State.GROWING,
          ServiceReport.State.DRAINING,
          ServiceReport.State.STEADY,
          ServiceReport.State.RESUMING,
          ServiceReport.State.KEEPING_UP);

  private final Map<String, Logged> services = new HashMap<>();

  /**
   * @param logged the state that was logged last
   * @param seen the state of the report before
   * @param since when that state began
   */
  private record Logged(ServiceReport.State logged, ServiceReport.State seen, Instant since) {}

  void note(ServiceReport report, Instant now) {
    ServiceReport.State state = report.state();
    Logged before =
        services.getOrDefault(
            report.name(), new Logged(ServiceReport.State.KEEPING_UP, state, now));
    Instant since = state == before.seen() ? before.since() : now;
    boolean isDue =
        state != before.logged()
            && (state == ServiceReport.State.FAILED || !now.isBefore(since.plus(LASTS)));
    services.put(report.name(), new Logged(isDue ? state : before.logged(), state, since));
    if (isDue) {
      log(report, before.logged());
    }
  }

  private static void log(ServiceReport report, ServiceReport.State before) {
    log.atLevel(level(report.state(), before))
        .log(
            "State of service {} is now {}, was {} ({} behind, limit={}, {} messages wait)",
            report.name(),
            word(report.state()),
            word(before),
            text(report.lag().behind().map(Formats::duration)),
            Formats.duration(report.limit()),
            text(report.lag().unperformed().map(it -> Formats.number(it))));
  }

  /** A load may swing, so changes between the states of a working service are not of interest. */
  private static Level level(ServiceReport.State state, ServiceReport.State before) {
    return switch (state) {
      case FAILED, REFUSING, WAITING, WAITING_FOR_LOCK -> Level.WARN;
      default -> WORKING.contains(state) && WORKING.contains(before) ? Level.DEBUG : Level.INFO;
    };
  }

  private static String word(ServiceReport.State state) {
    return state.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static String text(Figure<String> figure) {
    return figure.known().orElse("an unknown number or time");
  }
}
