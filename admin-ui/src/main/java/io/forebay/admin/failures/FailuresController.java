/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.forebay.admin.Caller;
import io.forebay.admin.Command;
import io.forebay.admin.Parameters;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureId;
import io.forebay.operations.failures.FailureValues;
import io.forebay.operations.failures.Failures;
import io.forebay.service.errors.DeadLetter;
import io.forebay.text.Sha256;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.CacheControl;
import org.springframework.http.ContentDisposition;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;

/**
 * The list of failed messages, and the commands to one of them; {@link GroupsController} has the
 * groups. The content of a message and what the database said are shown only with a look that is in
 * the audit; each command is in the audit first.
 */
@ForebayController
final class FailuresController {

  /** The decisions about a message, as the last part of a path and of an action in the audit. */
  static final String DECISIONS = "set-aside|reopen|discard";

  private static final String API = "/api/v1/failed";
  private static final String PAGE = "/admin/api/v1/failures";

  private final Failures failures;
  private final Audit audit;

  FailuresController(Failures failures, Audit audit) {
    this.failures = failures;
    this.audit = audit;
  }

  /** The named state, or open if none is named. */
  static Failure.State state(@Nullable String text) {
    if (text == null || text.isBlank()) {
      return Failure.State.OPEN;
    }
    return Arrays.stream(Failure.State.values())
        .filter(state -> state.text().equals(text))
        .findFirst()
        .orElseThrow(
            () -> Problem.invalid("state must be open, set-aside, discarded or replayed."));
  }

  /**
   * @param undecodable whether a replay cannot help, because the message cannot be decoded
   */
  record Row(@JsonUnwrapped Failure failure, String state, boolean undecodable) {

    static Row of(Failure failure) {
      return new Row(failure, failure.state().text(), DeadLetter.isUndecodable(failure.kind()));
    }
  }

  record Rows(List<Row> failures, @Nullable String next) {}

  /**
   * Lists failures, the newest first.
   *
   * @param state null for all
   */
  @GetMapping({API, PAGE + "/list"})
  Rows list(
      @RequestParam(required = false) @Nullable String service,
      @RequestParam(required = false) @Nullable String error,
      @RequestParam(required = false) @Nullable String cause,
      @RequestParam(required = false) @Nullable String state,
      @RequestParam(required = false) @Nullable String before,
      @RequestParam(defaultValue = "100") int limit) {
    Failures.Page page =
        failures.page(
            new Failures.Filter(
                Parameters.text("service", service),
                Parameters.text("error", error),
                Failures.Cause.of(Parameters.text("cause", cause)),
                state == null ? null : state(state)),
            Parameters.text("before", before),
            limit);
    return new Rows(page.failures().stream().map(Row::of).toList(), page.next());
  }

  @GetMapping(API + "/{id}")
  Failure one(@PathVariable String id) {
    return failures.find(id).orElseThrow(ShownValues::unknown);
  }

  @PostMapping({API + "/{id}/values", PAGE + "/{id}/values"})
  ResponseEntity<FailureValues> values(@PathVariable String id, HttpServletRequest request) {
    return ShownValues.answer(failures, id, Caller.of(request), audit);
  }

  /** Replays a message, sets it aside, reopens it or discards it. */
  @PostMapping({
    API + "/{id}/{command:replay|" + DECISIONS + "}",
    PAGE + "/{id}/{command:replay|" + DECISIONS + "}"
  })
  ResponseEntity<Failure> decide(
      @PathVariable String id,
      @PathVariable String command,
      @RequestBody(required = false) @Nullable Command body,
      HttpServletRequest request) {
    Failure.State to = after(command);
    boolean replays = to == Failure.State.REPLAYED;
    Failure failure = one(id);
    if (replays && failure.needsAdmin() && !request.isUserInRole(Caller.ADMIN)) {
      throw new Problem(
          ProblemType.NOT_PERMITTED,
          "It was replayed %d times; to replay it again needs the role admin."
              .formatted(failure.replays()));
    }
    String reason = reason(to, body);
    Actor actor = Caller.of(request);
    Failure decided =
        audit.perform(
            Audit.Entry.allowed(actor, "failed." + command, id, reason)
                .changing(Audit.Change.of("state", failure.state().text(), to.text())),
            () ->
                (replays
                        ? failures.replay(id, actor.name())
                        : failures.decide(id, to, actor.name(), reason))
                    .orElseThrow(ShownValues::unknown));
    return ResponseEntity.status(replays ? HttpStatus.ACCEPTED : HttpStatus.OK).body(decided);
  }

  /** The state after a command. */
  static Failure.State after(String command) {
    return switch (command) {
      case "replay" -> Failure.State.REPLAYED;
      case "set-aside" -> Failure.State.SET_ASIDE;
      case "discard" -> Failure.State.DISCARDED;
      default -> Failure.State.OPEN;
    };
  }

  static String reason(Failure.State to, @Nullable Command command) {
    return to == Failure.State.OPEN ? Command.optional(command) : Command.required(command);
  }

  /**
   * A message as a file.
   *
   * @param queue the identity of its in-queue
   * @param bytes the message as it was received, in Base64
   */
  record Exported(
      @JsonUnwrapped @JsonIgnoreProperties({"bytes", "decision", "origin", "replay", "replays"})
          Failure failure,
      String queue,
      int size,
      String sha256,
      byte[] bytes) {}

  /** Records the export, and then reads the bytes of a message. */
  @PostMapping({API + "/{id}/export", PAGE + "/{id}/export"})
  ResponseEntity<Exported> export(
      @PathVariable String id,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    ShownValues.mustBeRecorded(audit);
    Failure failure = one(id);
    byte[] bytes =
        audit.perform(
            Audit.Entry.allowed(Caller.of(request), "failed.export", id, Command.optional(command)),
            () -> failures.message(id).orElseThrow(() -> noBytes(id)));
    String name =
        String.format(
            Locale.ROOT,
            "failed-%s-%d-%d.json",
            failure.service(),
            failure.partition(),
            failure.position());
    return ResponseEntity.ok()
        .cacheControl(CacheControl.noStore())
        .header(
            HttpHeaders.CONTENT_DISPOSITION,
            ContentDisposition.attachment().filename(name).build().toString())
        .body(
            new Exported(
                failure, FailureId.of(id).queueId(), bytes.length, Sha256.hex(bytes), bytes));
  }

  private Problem noBytes(String id) {
    return failures.find(id).isEmpty()
        ? ShownValues.unknown() // deleted meanwhile
        : Problem.conflict("Its content was too large to be kept, so there is nothing to export.");
  }
}
