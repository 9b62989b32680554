/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.undo;

import io.forebay.admin.Refused;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.DesiredState;
import io.forebay.operations.Inverse;
import io.forebay.operations.Services;
import java.time.Instant;
import java.time.InstantSource;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Ends the pause that a command began, and restores the one that it ended or replaced. */
final class ServiceInverse implements Inverse {

  private final Services services;
  private final InstantSource clock;

  ServiceInverse(Services services, InstantSource clock) {
    this.services = services;
    this.clock = clock;
  }

  @Override
  public Set<String> actions() {
    return Set.of("service.pause", "service.resume");
  }

  @Override
  public String role() {
    return "operator";
  }

  @Override
  public @Nullable Undo plan(Audit.Entry done, Actor actor, String reason) {
    String service = done.target();
    if (services.find(service).isEmpty()) {
      return null;
    }
    DesiredState state = services.desired(service).orElse(null);
    SequencedMap<String, String> now = DesiredState.fields(state);
    SequencedMap<String, String> before = done.change().restore(now);
    if (!"paused".equals(before.get("state"))) {
      return new Undo(
          "service.resume", now, DesiredState.fields(null), () -> end(state, reason, actor));
    }
    String until = before.getOrDefault("until", "");
    DesiredState paused =
        new DesiredState(
            service,
            true,
            before.getOrDefault("reason", ""),
            actor.name(),
            clock.instant(),
            until.isEmpty() ? null : Instant.parse(until));
    mustNotHaveEnded(paused);
    return new Undo("service.pause", now, DesiredState.fields(paused), () -> pause(paused, state));
  }

  private void end(@Nullable DesiredState pause, String reason, Actor actor) {
    if (pause == null || !services.end(pause, reason, actor.name())) {
      throw changed();
    }
  }

  private void mustNotHaveEnded(DesiredState pause) {
    Instant until = pause.until();
    if (until != null && !until.isAfter(clock.instant())) {
      throw Refused.conflict(
          "The pause that it ended was to end at %s, which has passed.".formatted(until));
    }
  }

  private void pause(DesiredState pause, @Nullable DesiredState replaced) {
    boolean isPaused =
        services
            .pause(
                pause.service(),
                pause.reason(),
                pause.by(),
                pause.until(),
                replaced != null && replaced.paused() ? replaced.at() : null)
            .isEmpty();
    if (!isPaused) {
      throw changed();
    }
  }

  private static Refused changed() {
    return Refused.conflict("Another command changed the service at the same time.");
  }
}
