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
import io.forebay.admin.history.PerformedLately;
import io.forebay.admin.history.Series;
import io.forebay.operations.Audit;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureValues;
import io.forebay.operations.failures.Failures;
import io.forebay.report.Ending;
import io.forebay.service.errors.DeadLetter;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/**
 * Failures, in groups and one by one; {@link ReplayPlansController} replays them. The content of a
 * message and what the database said are shown only with a look that is in the audit.
 */
@ForebayController
@RequestMapping("/admin/api/v1/failures")
final class FailuresController {

  /** The most groups of an answer. */
  static final int MOST_GROUPS = 200;

  private static final Duration OPEN_SINCE = Duration.ofDays(1);

  private final Failures failures;
  private final Audit audit;
  private final PerformedLately performed;
  private final InstantSource clock;

  FailuresController(
      Failures failures, Audit audit, PerformedLately performed, InstantSource clock) {
    this.clock = clock;
    this.failures = failures;
    this.audit = audit;
    this.performed = performed;
  }

  /**
   * @param cause selects the causes of this group in the list and in plans
   * @param statement its statement in the catalogue; null if unknown
   * @param lastMinuteShare those of the last minute / what the service performed since they began;
   *     null if unknown or none failed
   * @param ended whether none has failed for some seconds; see {@link Ending}
   * @param undecodable whether a replay cannot help, because the message cannot be decoded
   */
  record Group(
      String id,
      @JsonUnwrapped @JsonIgnoreProperties({"capped", "cause"}) Failures.Group group,
      String cause,
      @Nullable String statement,
      boolean countCapped,
      @Nullable Double lastMinuteShare,
      boolean ended,
      boolean undecodable) {

    static Group of(Failures.Group group, double performed, Instant now) {
      String cause = Causes.text(group.cause());
      return new Group(
          String.join("~", group.service(), group.error(), cause),
          group,
          cause,
          group.cause().statement(),
          group.capped(),
          group.lastMinute() > 0 && performed > 0
              ? Math.min(1, group.lastMinute() / performed)
              : null,
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

  @GetMapping
  Groups groups(
      @RequestParam(required = false) @Nullable String service,
      @RequestParam(required = false) @Nullable String state,
      @RequestParam(required = false) @Nullable String from) {
    Failure.State wanted = state(state);
    Instant since = since(from, wanted);
    return Groups.of(
        failures.groups(Parameters.text("service", service), since, wanted).stream()
            .map(it -> Group.of(it, performed.sinceFailing(it.service()), clock.instant()))
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

  record Row(
      @JsonUnwrapped @JsonIgnoreProperties({"messageId", "kind", "sqlState"}) Failure failure,
      String error,
      String state,
      boolean undecodable) {

    static Row of(Failure failure) {
      String state = failure.sqlState();
      return new Row(
          failure,
          state == null || state.isEmpty() ? failure.kind() : state,
          failure.state().text(),
          DeadLetter.isUndecodable(failure.kind()));
    }
  }

  record Rows(List<Row> failures, @Nullable String next) {}

  @GetMapping("/list")
  Rows list(
      @RequestParam(required = false) @Nullable String service,
      @RequestParam(required = false) @Nullable String error,
      @RequestParam(required = false) @Nullable String cause,
      @RequestParam(required = false) @Nullable String state,
      @RequestParam(required = false) @Nullable String before,
      @RequestParam(defaultValue = "50") int limit) {
    Failures.Page page =
        failures.page(
            new Failures.Filter(
                Parameters.text("service", service),
                Parameters.text("error", error),
                Causes.of("cause", cause),
                state(state)),
            Parameters.text("before", before),
            limit);
    return new Rows(page.failures().stream().map(Row::of).toList(), page.next());
  }

  @PostMapping("/{id}/values")
  ResponseEntity<FailureValues> values(@PathVariable String id, HttpServletRequest request) {
    return ShownValues.answer(failures, id, Caller.of(request), audit);
  }

  @PostMapping("/{id}/{decision:" + FailureCommands.DECISIONS + "}")
  Row decide(
      @PathVariable String id,
      @PathVariable String decision,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    return Row.of(
        FailureCommands.decide(failures, id, decision, Caller.of(request), command, audit));
  }

  @PostMapping("/{id}/export")
  ResponseEntity<FailureCommands.Exported> export(
      @PathVariable String id,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    return FailureCommands.export(failures, id, Caller.of(request), command, audit);
  }
}
