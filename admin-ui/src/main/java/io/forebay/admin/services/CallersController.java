/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.services;

import io.forebay.admin.Caller;
import io.forebay.admin.Command;
import io.forebay.admin.Parameters;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.Door;
import io.forebay.operations.callers.RateLimit;
import io.forebay.operations.commands.RecordedCommand;
import io.forebay.text.WholeText;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import tools.jackson.databind.JsonNode;

/**
 * Shows the callers of the HTTP door, limits how much one of them may send, and lifts such a limit.
 * The body of a command names the caller: names of an OpenID provider have characters that a path
 * must not have.
 */
@ForebayController
final class CallersController {

  private static final int LONGEST_NAME = 255;

  private final @Nullable Door door;
  private final Audit audit;

  /**
   * @param door null if this instance has none
   */
  CallersController(@Nullable Door door, Audit audit) {
    this.door = door;
    this.audit = audit;
  }

  @GetMapping("/admin/api/v1/callers")
  Door.Document get() {
    return door().document();
  }

  /**
   * @param caller the name of a token or user
   * @param perSecond how many statements per second at each instance
   * @param reason why, in the operator's words
   * @param until when the limit ends: an instant, or a duration from now
   */
  record Limit(
      @Nullable JsonNode caller,
      @Nullable JsonNode perSecond,
      @Nullable JsonNode reason,
      @Nullable JsonNode until) {}

  /**
   * @param reason why, in the operator's words; may be missing
   */
  record Lift(@Nullable JsonNode caller, @Nullable JsonNode reason) {}

  /**
   * @param limited the limit that is now in force; null if none is
   */
  record Limited(String caller, @Nullable RateLimit limited) {}

  @PostMapping({"/api/v1/callers/limit", "/admin/api/v1/callers/limit"})
  Limited limit(@RequestBody Limit command, HttpServletRequest request) {
    Door open = door();
    Actor actor = Caller.of(request);
    Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
    RateLimit wanted =
        new RateLimit(
            name(command.caller()),
            perSecond(command.perSecond()),
            Command.required(command.reason()),
            actor.name(),
            now,
            end(command.until(), now));
    return audit.perform(
        Audit.Entry.allowed(actor, "caller.limit", wanted.caller(), wanted.reason())
            .withOutcome(
                RecordedCommand.until(RecordedCommand.limited(wanted.perSecond()), wanted.until())),
        () -> {
          open.limit(wanted);
          return new Limited(wanted.caller(), wanted);
        });
  }

  @PostMapping({"/api/v1/callers/lift", "/admin/api/v1/callers/lift"})
  Limited lift(@RequestBody Lift command, HttpServletRequest request) {
    Door open = door();
    String name = name(command.caller());
    String reason = Command.optional(command.reason());
    return audit.perform(
        Audit.Entry.allowed(Caller.of(request), "caller.lift", name, reason),
        () -> {
          open.lift(name);
          return new Limited(name, null);
        });
  }

  private Door door() {
    if (door == null) {
      throw Problem.notFound("This instance has no HTTP door.");
    }
    return door;
  }

  private static Instant end(@Nullable JsonNode given, Instant now) {
    Instant end = Parameters.end("/until", given, now);
    if (end == null) {
      throw Problem.invalidField("/until", "must say when the limit ends, such as 1h");
    }
    return end.truncatedTo(ChronoUnit.MICROS);
  }

  private static String name(@Nullable JsonNode given) {
    String name = given == null || !given.isString() ? "" : given.stringValue();
    if (name.isBlank() || name.length() > LONGEST_NAME || !WholeText.is(name)) {
      throw Problem.invalidField("/caller", "must be the name of a token or user");
    }
    return name;
  }

  private static int perSecond(@Nullable JsonNode given) {
    if (given == null
        || !given.canConvertToInt()
        || given.intValue() < 1
        || given.intValue() > RateLimit.MOST) {
      throw Problem.invalidField(
          "/perSecond", "must be a whole number from 1 to %,d".formatted(RateLimit.MOST));
    }
    return given.intValue();
  }
}
