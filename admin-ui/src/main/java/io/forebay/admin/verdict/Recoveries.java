/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.Lag;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Services that were behind and have caught up, so that nobody wonders for a few minutes where an
 * alert went. For one thread.
 */
final class Recoveries {

  private static final Duration SHOWN = Duration.ofMinutes(5);

  /** An alert that opens again later than this is another incident. */
  private static final Duration BREAK = Duration.ofSeconds(30);

  /**
   * A time in which an alert was open, or several with short breaks.
   *
   * @param late how long messages waited longer than the limit
   * @param away how long the longest outage of its database was
   * @param over when it had closed and the service had caught up; empty until then
   */
  private record Spell(Duration late, Duration away, Optional<Instant> over) {

    boolean wasOver(Instant time) {
      return over.filter(it -> it.isBefore(time)).isPresent();
    }
  }

  private static final Spell NONE = new Spell(Duration.ZERO, Duration.ZERO, Optional.empty());

  private final Map<String, Spell> spells = new HashMap<>();
  private Instant before = Instant.MAX;

  /**
   * Call once per round for each service.
   *
   * @param alerted whether an alert says that the service is behind, or waits for its database
   */
  void add(ServiceReport report, boolean alerted, Instant now) {
    Spell spell = spells.get(report.name());
    if (alerted) {
      boolean late = report.behindShare().known().filter(it -> it >= 1).isPresent();
      Duration more = late && before.isBefore(now) ? Duration.between(before, now) : Duration.ZERO;
      Spell last = spell == null || spell.wasOver(now.minus(BREAK)) ? NONE : spell;
      spells.put(
          report.name(),
          new Spell(last.late().plus(more), longer(last.away(), report, now), Optional.empty()));
    } else if (spell != null && spell.over().isEmpty()) {
      if (report.lag().state() != Lag.State.KEEPING_UP) {
        return; // the alert has closed, but messages still wait
      }
      spells.put(report.name(), new Spell(spell.late(), spell.away(), Optional.of(now)));
    } else if (spell != null && spell.over().get().plus(SHOWN).isBefore(now)) {
      spells.remove(report.name());
    }
  }

  private static Duration longer(Duration away, ServiceReport report, Instant now) {
    Duration length = report.outage() == null ? Duration.ZERO : report.outage().length(now);
    return length.compareTo(away) > 0 ? length : away;
  }

  /** A sentence for each service that has recovered lately and still keeps up. Ends the round. */
  List<String> tell(List<ServiceReport> services, Instant now) {
    before = now;
    List<String> sentences = new ArrayList<>();
    for (ServiceReport report : services) {
      Spell spell = spells.get(report.name());
      if (spell != null && report.lag().state() == Lag.State.KEEPING_UP) {
        spell
            .over()
            .map(over ->
                Sentences.recovered(
                    report, Duration.between(over, now), spell.late(), spell.away()))
            .ifPresent(sentences::add);
      }
    }
    return sentences;
  }
}
