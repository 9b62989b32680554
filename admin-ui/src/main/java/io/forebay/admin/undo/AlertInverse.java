/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.undo;

import io.forebay.admin.Refused;
import io.forebay.admin.alerts.AlertLog;
import io.forebay.admin.verdict.Problem.Acknowledgement;
import io.forebay.admin.verdict.Problem.Silence;
import io.forebay.admin.verdict.Silences;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.Inverse;
import java.time.Instant;
import java.time.InstantSource;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Withdraws an acknowledgement or a silence of an alert, or restores the one before it. Other
 * instances keep an acknowledgement that they have heard of.
 */
final class AlertInverse implements Inverse {

  private static final String ACKNOWLEDGE = "alert.acknowledge";
  private static final String SILENCE = "alert.silence";

  private final AlertLog log;
  private final Silences silences;
  private final InstantSource clock;

  AlertInverse(AlertLog log, Silences silences, InstantSource clock) {
    this.log = log;
    this.silences = silences;
    this.clock = clock;
  }

  @Override
  public Set<String> actions() {
    return Set.of(ACKNOWLEDGE, SILENCE);
  }

  @Override
  public String role() {
    return "operator";
  }

  @Override
  public @Nullable Undo plan(Audit.Entry done, Actor actor, String reason) {
    String id = done.target();
    if (!log.isOpen(id)) {
      return null;
    }
    return done.action().equals(SILENCE)
        ? unsilence(id, done.change(), actor)
        : withdraw(id, done.change(), actor);
  }

  private Undo withdraw(String id, Audit.Change change, Actor actor) {
    Acknowledgement given = log.acknowledgement(id);
    SequencedMap<String, String> now = Acknowledgement.fields(given);
    SequencedMap<String, String> before = change.restore(now);
    Instant at = clock.instant();
    Acknowledgement old =
        before.isEmpty()
            ? null
            : new Acknowledgement(actor.name(), at, before.getOrDefault("note", ""));
    return new Undo(
        "alert.withdraw-acknowledgement",
        now,
        Acknowledgement.fields(old),
        () -> must(log.replace(id, given, old, at)));
  }

  private Undo unsilence(String id, Audit.Change change, Actor actor) {
    Silence given = silences.find(id, clock.instant());
    SequencedMap<String, String> now = Silence.fields(given);
    SequencedMap<String, String> before = change.restore(now);
    Silence old =
        before.isEmpty()
            ? null
            : new Silence(
                actor.name(),
                Instant.parse(before.getOrDefault("silenced until", "")),
                before.getOrDefault("reason", ""));
    return new Undo(
        "alert.end-silence",
        now,
        Silence.fields(old),
        () -> must(silences.replace(id, given, old)));
  }

  private static void must(boolean isDone) {
    if (!isDone) {
      throw Refused.conflict("Another command changed the alert at the same time.");
    }
  }
}
