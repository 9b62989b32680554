/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.services;

import io.forebay.admin.Caller;
import io.forebay.admin.Command;
import io.forebay.admin.Parameters;
import io.forebay.admin.Refused;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.Door;
import io.forebay.operations.callers.RateLimit;
import io.forebay.operations.commands.RecordedCommand;
import io.forebay.problem.WholeText;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/**
 * Limits how much a caller of the door may send, and lifts such a limit. The body names the caller:
 * names of an OpenID provider have characters that a path must not have.
 */
@RestController
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

  /**
   * @param caller the name of a token or user
   * @param perSecond how many statements per second, of all instances together
   * @param reason why, in the operator's words
   * @param until when the limit ends: an instant, or a duration from now; null for no end
   * @param replaces when the limit was set that the operator has seen and replaces; null for none
   */
  record Limit(
      @Nullable JsonNode caller,
      @Nullable JsonNode perSecond,
      @Nullable JsonNode reason,
      @Nullable JsonNode until,
      @Nullable JsonNode replaces) {}

  /**
   * @param reason why, in the operator's words; may be missing
   * @param at when the limit was set that the operator has seen; null to lift whichever there is
   */
  record Lift(@Nullable JsonNode caller, @Nullable JsonNode reason, @Nullable JsonNode at) {}

  /**
   * @param limited the limit that is now in force; null if none is
   */
  record Limited(String caller, @Nullable RateLimit limited) {}

  /** A limit that another operator has set is not replaced unseen. */
  @PostMapping({"/api/v1/callers/limit", "/admin/api/v1/callers/limit"})
  Limited limit(@RequestBody Limit command, HttpServletRequest request) {
    Door open = door();
    String name = name(command.caller());
    Actor actor = Caller.of(request);
    Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
    Instant until = Parameters.end("/until", command.until(), now);
    RateLimit wanted =
        new RateLimit(
            name,
            perSecond(command.perSecond()),
            Command.required(command.reason()),
            actor.name(),
            now,
            until == null ? null : until.truncatedTo(ChronoUnit.MICROS));
    Instant replaces = Parameters.instant("/replaces", command.replaces());
    RateLimit before = open.limitOf(name).orElse(null);
    Audit.Entry entry = Audit.Entry.allowed(actor, "caller.limit", name, wanted.reason());
    if (before != null && !before.at().equals(replaces)) {
      audit.record(entry.withOutcome(RecordedCommand.alreadyLimited(before.by(), before.at())));
      throw alreadyLimited(before);
    }
    entry =
        entry
            .withOutcome(RecordedCommand.limited(wanted.perSecond()))
            .changing(Audit.Change.between(RateLimit.fields(before), RateLimit.fields(wanted)));
    return audit.perform(
        until == null ? entry : entry.withOutcome(RecordedCommand.until(entry.outcome(), until)),
        () -> {
          if (!open.limit(wanted, replaces)) {
            throw open.limitOf(name)
                .map(CallersController::alreadyLimited)
                .orElseGet(() ->
                    Refused.conflict("The limit to be replaced was lifted; nothing was done."));
          }
          return new Limited(name, wanted);
        });
  }

  @PostMapping({"/api/v1/callers/lift", "/admin/api/v1/callers/lift"})
  Limited lift(@RequestBody Lift command, HttpServletRequest request) {
    Door open = door();
    String name = name(command.caller());
    String reason = Command.optional(command.reason());
    Instant seen = Parameters.instant("/at", command.at());
    RateLimit before = open.limitOf(name).orElse(null);
    Audit.Entry entry = Audit.Entry.allowed(Caller.of(request), "caller.lift", name, reason);
    if (before == null) {
      audit.record(entry.withOutcome("refused: it has no limit by command"));
      throw Refused.conflict("The caller has no limit by command; nothing was done.");
    }
    if (seen != null && !seen.equals(before.at())) {
      audit.record(entry.withOutcome(RecordedCommand.alreadyLimited(before.by(), before.at())));
      throw changed(before);
    }
    return audit.perform(
        entry.changing(Audit.Change.between(RateLimit.fields(before), RateLimit.fields(null))),
        () -> {
          if (!open.lift(name, before.at())) {
            throw changed(open.limitOf(name).orElse(null));
          }
          return new Limited(name, null);
        });
  }

  private Door door() {
    if (door == null) {
      throw DoorController.noDoor();
    }
    return door;
  }

  private static String name(@Nullable JsonNode given) {
    String name = given == null || !given.isString() ? "" : given.stringValue();
    if (name.isBlank() || name.length() > LONGEST_NAME || !WholeText.is(name)) {
      throw Refused.invalidField("/caller", "must be the name of a token or user");
    }
    return name;
  }

  private static int perSecond(@Nullable JsonNode given) {
    if (given == null
        || !given.canConvertToInt()
        || given.intValue() < 1
        || given.intValue() > RateLimit.MOST) {
      throw Refused.invalidField(
          "/perSecond", "must be a whole number from 1 to %,d".formatted(RateLimit.MOST));
    }
    return given.intValue();
  }

  private static Refused alreadyLimited(RateLimit limit) {
    return Refused.conflict(
            "%s has limited the caller already (to %,d per second, since %s%s, reason: %s); nothing was done. To replace this limit, send its time as \"replaces\"."
                .formatted(
                    limit.by(),
                    limit.perSecond(),
                    limit.at().truncatedTo(ChronoUnit.SECONDS),
                    limit.until() == null
                        ? ""
                        : ", until " + limit.until().truncatedTo(ChronoUnit.SECONDS),
                    limit.reason()))
        .with("limited", limit);
  }

  private static Refused changed(@Nullable RateLimit now) {
    return now == null
        ? Refused.conflict("The limit was lifted meanwhile; nothing was done.")
        : Refused.conflict(
                "%s has replaced the limit meanwhile (by %,d per second); nothing was done."
                    .formatted(now.by(), now.perSecond()))
            .with("limited", now);
  }
}
