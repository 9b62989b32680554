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
   * @param over when it had closed and the service had caught up; empty until then
   */
  private record Spell(Duration late, Optional<Instant> over) {}

  private final Map<String, Spell> spells = new HashMap<>();
  private Instant before = Instant.MAX;

  /**
   * Call once per round for each service.
   *
   * @param alerted whether an alert says that the service is behind
   */
  void add(ServiceReport report, boolean alerted, Instant now) {
    Spell spell = spells.get(report.name());
    if (alerted) {
      boolean late = report.behindShare().known().filter(it -> it >= 1).isPresent();
      Duration more = late && before.isBefore(now) ? Duration.between(before, now) : Duration.ZERO;
      spells.put(
          report.name(),
          spell == null || spell.over().filter(it -> it.plus(BREAK).isBefore(now)).isPresent()
              ? new Spell(more, Optional.empty())
              : new Spell(spell.late().plus(more), Optional.empty()));
    } else if (spell != null && spell.over().isEmpty()) {
      if (report.lag().state() != Lag.State.KEEPING_UP) {
        return; // the alert has closed, but messages still wait
      }
      spells.put(report.name(), new Spell(spell.late(), Optional.of(now)));
    } else if (spell != null && spell.over().get().plus(SHOWN).isBefore(now)) {
      spells.remove(report.name());
    }
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
            .map(over -> Sentences.recovered(report, Duration.between(over, now), spell.late()))
            .ifPresent(sentences::add);
      }
    }
    return sentences;
  }
}
