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
import io.forebay.admin.history.Series;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureValues;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.Place;
import io.forebay.report.Ending;
import io.forebay.service.errors.DeadLetter;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HexFormat;
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
import org.springframework.web.bind.annotation.ResponseStatus;

/**
 * Messages that were not performed, in groups and one by one; {@link ReplayPlansController} has the
 * commands to groups. The content of a message and what the database said are shown only with a
 * look that is in the audit; each command is in the audit first.
 */
@ForebayController
final class FailuresController {

  /** The decisions about a message, as the last part of a path and of an action in the audit. */
  static final String DECISIONS = "set-aside|reopen|discard";

  /** The most groups of an answer. */
  static final int MOST_GROUPS = 200;

  private static final String API = "/api/v1/failed";
  private static final String PAGE = "/admin/api/v1/failures";
  private static final Duration OPEN_SINCE = Duration.ofDays(1);

  private final Failures failures;
  private final Audit audit;
  private final InstantSource clock;

  FailuresController(Failures failures, Audit audit, InstantSource clock) {
    this.clock = clock;
    this.failures = failures;
    this.audit = audit;
  }

  /**
   * @param cause selects the causes of this group in the list and in plans
   * @param statement its statement in the catalogue; null if unknown
   * @param ended whether none has failed for some seconds; see {@link Ending}
   * @param undecodable whether a replay cannot help, because the message cannot be decoded
   */
  record Group(
      String id,
      @JsonUnwrapped @JsonIgnoreProperties({"capped", "cause"}) Failures.Group group,
      String cause,
      @Nullable String statement,
      boolean countCapped,
      boolean ended,
      boolean undecodable) {

    static Group of(Failures.Group group, Instant now) {
      String cause = Causes.text(group.cause());
      return new Group(
          String.join("~", group.service(), group.error(), cause),
          group,
          cause,
          group.cause().statement(),
          group.capped(),
          Ending.isOver(Duration.between(group.last(), now), group.lastMinute()),
          DeadLetter.isUndecodable(group.error()));
    }
  }

  /**
   * @param groups at most {@link #MOST_GROUPS}, the last failed first
   * @param others the groups beyond that
   * @param othersCount how many failures are in those
   */
  record Groups(List<Group> groups, int others, long othersCount) {

    static Groups of(List<Group> all) {
      List<Group> shown = all.subList(0, Math.min(all.size(), MOST_GROUPS));
      List<Group> others = all.subList(shown.size(), all.size());
      return new Groups(
          shown, others.size(), others.stream().mapToLong(it -> it.group().count()).sum());
    }
  }

  @GetMapping(PAGE)
  Groups groups(
      @RequestParam(required = false) @Nullable String service,
      @RequestParam(required = false) @Nullable String state,
      @RequestParam(required = false) @Nullable String from) {
    Failure.State wanted = state(state);
    Instant since = since(from, wanted);
    return Groups.of(
        failures.groups(Parameters.text("service", service), since, wanted).stream()
            .map(it -> Group.of(it, clock.instant()))
            .toList());
  }

  /** The named time; if none is named, the last day of open failures, and any time of others. */
  private Instant since(@Nullable String from, Failure.State state) {
    if (from != null && !from.isBlank()) {
      return Series.begin(from, clock.instant());
    }
    return state == Failure.State.OPEN ? clock.instant().minus(OPEN_SINCE) : Instant.EPOCH;
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
   * @param error the error by which it is grouped; see {@link Failures.Group#error}
   * @param undecodable whether a replay cannot help, because the message cannot be decoded
   */
  record Row(@JsonUnwrapped Failure failure, String error, String state, boolean undecodable) {

    static Row of(Failure failure) {
      return new Row(
          failure,
          FailuresController.error(failure),
          failure.state().text(),
          DeadLetter.isUndecodable(failure.kind()));
    }
  }

  static String error(Failure failure) {
    String state = failure.sqlState();
    return state == null || state.isEmpty() ? failure.kind() : state;
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
                Causes.of("cause", cause),
                state == null ? null : state(state)),
            Parameters.text("before", before),
            limit);
    return new Rows(page.failures().stream().map(Row::of).toList(), page.next());
  }

  @GetMapping(API + "/{id}")
  Failure one(@PathVariable String id) {
    return failures.find(id).orElseThrow(ShownValues::unknown);
  }

  @PostMapping(API + "/{id}/replay")
  @ResponseStatus(HttpStatus.ACCEPTED)
  Failure replay(
      @PathVariable String id,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    Failure failure = one(id);
    String reason = Command.required(command);
    if (ReplayPlan.isOver(failure) && !request.isUserInRole(Caller.ADMIN)) {
      throw new Problem(ProblemType.NOT_PERMITTED, "This needs the role admin.");
    }
    Actor actor = Caller.of(request);
    return audit.perform(
        Audit.Entry.allowed(actor, "failed.replay", id, reason)
            .changing(
                Audit.Change.between(
                    failure.fields(), Failure.fields(Failure.State.REPLAYED, "", ""))),
        () -> failures.replay(id, actor.name()).orElseThrow(ShownValues::unknown));
  }

  @PostMapping({API + "/{id}/values", PAGE + "/{id}/values"})
  ResponseEntity<FailureValues> values(@PathVariable String id, HttpServletRequest request) {
    return ShownValues.answer(failures, id, Caller.of(request), audit);
  }

  /** Sets a message aside, reopens it or discards it. */
  @PostMapping({
    API + "/{id}/{decision:" + DECISIONS + "}",
    PAGE + "/{id}/{decision:" + DECISIONS + "}"
  })
  Failure decide(
      @PathVariable String id,
      @PathVariable String decision,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    Failure.State to = decision(decision);
    Failure failure = one(id);
    String reason = reason(to, command);
    Actor actor = Caller.of(request);
    return audit.perform(
        Audit.Entry.allowed(actor, "failed." + decision, id, reason)
            .changing(
                Audit.Change.between(failure.fields(), Failure.fields(to, reason, actor.name()))),
        () -> failures.decide(id, to, actor.name(), reason).orElseThrow(ShownValues::unknown));
  }

  static Failure.State decision(String decision) {
    return switch (decision) {
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
        .body(new Exported(failure, Place.of(id).queueId(), bytes.length, sha256(bytes), bytes));
  }

  private Problem noBytes(String id) {
    return failures.find(id).isEmpty()
        ? ShownValues.unknown() // deleted meanwhile
        : Problem.conflict("Its content was too large to be kept, so there is nothing to export.");
  }

  private static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e); // every Java has it
    }
  }
}
