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
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.Selection;
import io.forebay.report.RecentFailures;
import io.forebay.service.errors.DeadLetter;
import io.forebay.web.ForebayController;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** Groups of failed messages, and decisions about all messages of a group. */
@ForebayController
@RequestMapping("/admin/api/v1/failures")
final class GroupsController {

  /** The most groups of an answer. */
  static final int MOST_GROUPS = 200;

  private static final Duration OPEN_SINCE = Duration.ofDays(1);

  private final Failures failures;
  private final Audit audit;
  private final InstantSource clock;

  GroupsController(Failures failures, Audit audit, InstantSource clock) {
    this.failures = failures;
    this.audit = audit;
    this.clock = clock;
  }

  /**
   * @param cause selects the causes of this group in the list and in selections
   * @param statement its statement in the catalogue; null if unknown
   * @param ended whether none has failed for some seconds; see {@link RecentFailures#isOver}
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
      String cause = group.cause().text();
      return new Group(
          String.join("~", group.service(), group.error(), cause),
          group,
          cause,
          group.cause().statement(),
          group.capped(),
          RecentFailures.isOver(Duration.between(group.last(), now), group.lastMinute()),
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
    Failure.State wanted = FailuresController.state(state);
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

  /**
   * The messages of a group that have failed until now. A command to these messages repeats {@code
   * before} and {@code fingerprint}.
   */
  record Counted(int count, Instant before, String fingerprint) {}

  @GetMapping("/count")
  Counted count(
      @RequestParam(required = false) @Nullable String service,
      @RequestParam(required = false) @Nullable String error,
      @RequestParam(required = false) @Nullable String cause,
      @RequestParam(required = false) @Nullable String state) {
    Instant now = clock.instant();
    Selection selection = GroupCommand.select(failures, service, error, cause, state, now);
    return new Counted(selection.ids().size(), now, selection.fingerprint());
  }

  /**
   * @param decided about how many; somebody else decided about the others at the same time
   */
  record Decided(int decided) {}

  /** Sets the messages of a group aside, reopens or discards them. */
  @PostMapping("/group/{decision:" + FailuresController.DECISIONS + "}")
  Decided decide(
      @PathVariable String decision,
      @RequestBody GroupCommand command,
      HttpServletRequest request) {
    Failure.State to = FailuresController.after(decision);
    String reason = FailuresController.reason(to, new Command(command.reason()));
    Selection selection = command.selection(failures);
    Actor actor = Caller.of(request);
    return new Decided(
        audit.perform(
            Audit.Entry.allowed(actor, "failures." + decision, selection.target(), reason)
                .changing(selection.change(to.text())),
            () -> failures.decideAll(selection.ids(), to, actor.name(), reason)));
  }
}
