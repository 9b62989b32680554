/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.Lag;
import io.forebay.report.ServiceReport;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Services that were behind and have caught up, so that nobody wonders for a few minutes where an
 * alert went. For one thread.
 */
final class Recoveries {

  /** An alert that opens again later than this is another incident. */
  private static final Duration BREAK = Duration.ofSeconds(30);

  /** A database that was slow for less than this is not worth a sentence. */
  private static final Duration LEAST_SLOW = Duration.ofSeconds(30);

  /**
   * A time in which an alert was open, or several with short breaks.
   *
   * @param behind whether the service was behind, or waited for its database
   * @param late how long messages waited longer than the limit
   * @param away how long the longest outage of its database was
   * @param slow how long its database was slower than usual
   * @param over when it had closed and the service had caught up; empty until then
   */
  record Spell(
      boolean behind, Duration late, Duration away, Duration slow, Optional<Instant> over) {

    private static final Spell NONE =
        new Spell(false, Duration.ZERO, Duration.ZERO, Duration.ZERO, Optional.empty());

    boolean wasOver(Instant time) {
      return over.filter(it -> it.isBefore(time)).isPresent();
    }

    boolean wasSlow() {
      return slow.compareTo(LEAST_SLOW) >= 0;
    }
  }

  private final Map<String, Spell> spells = new HashMap<>();
  private Instant before = Instant.MAX;

  /**
   * Call once per round for each service.
   *
   * @param behind whether an alert says that the service is behind, or waits for its database
   */
  void add(ServiceReport report, boolean behind, Instant now) {
    Spell spell = spells.get(report.name());
    if (behind || report.slowerNow() != null) {
      boolean late = report.behindShare().known().filter(it -> it >= 1).isPresent();
      Duration round = before.isBefore(now) ? Duration.between(before, now) : Duration.ZERO;
      Spell last = spell == null || spell.wasOver(now.minus(BREAK)) ? Spell.NONE : spell;
      spells.put(
          report.name(),
          new Spell(
              behind || last.behind(),
              late ? last.late().plus(round) : last.late(),
              longer(last.away(), report, now),
              report.slowerNow() == null ? last.slow() : last.slow().plus(round),
              Optional.empty()));
    } else if (spell != null && spell.over().isEmpty()) {
      if (report.lag().state() != Lag.State.KEEPING_UP) {
        return; // the alert has closed, but messages still wait
      }
      spells.put(
          report.name(),
          new Spell(spell.behind(), spell.late(), spell.away(), spell.slow(), Optional.of(now)));
    } else if (spell != null && spell.over().get().plus(Recovery.SHOWN).isBefore(now)) {
      spells.remove(report.name());
    }
  }

  private static Duration longer(Duration away, ServiceReport report, Instant now) {
    Duration length = report.outage() == null ? Duration.ZERO : report.outage().length(now);
    return length.compareTo(away) > 0 ? length : away;
  }

  /**
   * The services that have recovered lately, still keep up and have no other problem. Ends the
   * round.
   *
   * @param troubled the names of the services that have a problem
   */
  Stream<Recovery> tell(List<ServiceReport> services, Set<String> troubled, Instant now) {
    before = now;
    return services.stream()
        .filter(it -> it.lag().state() == Lag.State.KEEPING_UP)
        .filter(it -> !troubled.contains(it.name()) && !it.isRefusedByDisk())
        .flatMap(it -> over(it.name()).stream());
  }

  private Optional<Recovery> over(String service) {
    return Optional.ofNullable(spells.get(service))
        .filter(it -> it.behind() || it.wasSlow())
        .flatMap(spell ->
            spell
                .over()
                .map(over ->
                    Recovery.ofService(
                        service,
                        over,
                        spell.late(),
                        spell.away(),
                        spell.wasSlow() ? spell.slow() : Duration.ZERO)));
  }
}
