/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.undo;

import io.forebay.admin.Refused;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.Door;
import io.forebay.operations.Inverse;
import io.forebay.operations.callers.RateLimit;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Undoes that a caller was limited, or that its limit was lifted. Thread-safe. */
final class CallerInverse implements Inverse {

  private final Door door;
  private final InstantSource clock;

  CallerInverse(Door door, InstantSource clock) {
    this.door = door;
    this.clock = clock;
  }

  @Override
  public Set<String> actions() {
    return Set.of("caller.limit", "caller.lift");
  }

  @Override
  public String role() {
    return "operator";
  }

  @Override
  public Undo plan(Audit.Entry done, Actor actor, String reason) {
    String caller = done.target();
    RateLimit limit = door.limitOf(caller).orElse(null);
    SequencedMap<String, String> now = RateLimit.fields(limit);
    SequencedMap<String, String> before = done.change().restore(now);
    String perSecond = before.getOrDefault("perSecond", "");
    if (perSecond.isEmpty() && limit == null) {
      throw Refused.conflict("The caller no longer has a limit by command.");
    }
    if (perSecond.isEmpty()) {
      return new Undo("caller.lift", now, RateLimit.fields(null), () -> lift(limit));
    }
    String until = before.getOrDefault("until", "");
    RateLimit again =
        new RateLimit(
            caller,
            Integer.parseInt(perSecond),
            before.getOrDefault("reason", ""),
            actor.name(),
            clock.instant().truncatedTo(ChronoUnit.MICROS),
            until.isEmpty() ? null : Instant.parse(until));
    if (again.hasEndedAt(clock.instant())) {
      throw Refused.conflict(
          "The limit that it ended was to end at %s, which has passed.".formatted(until));
    }
    return new Undo("caller.limit", now, RateLimit.fields(again), () -> limit(again, limit));
  }

  private void lift(@Nullable RateLimit limit) {
    if (limit == null || !door.lift(limit.caller(), limit.at())) {
      throw changed();
    }
  }

  private void limit(RateLimit again, @Nullable RateLimit replaced) {
    if (!door.limit(again, replaced == null ? null : replaced.at())) {
      throw changed();
    }
  }

  private static Refused changed() {
    return Refused.conflict("Another command changed the limit at the same time.");
  }
}
