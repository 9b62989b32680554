/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.forebay.admin.Caller;
import io.forebay.admin.Command;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.failures.Failures;
import io.forebay.operations.failures.GroupReplay;
import io.forebay.operations.failures.GroupReplays;
import io.forebay.operations.failures.Selection;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;

/** Replays of groups of failed messages. */
@ForebayController
@RequestMapping("/admin/api/v1/failures/replays")
final class ReplaysController {

  private static final double FASTEST = 1_000;
  private static final int MOST_FAILURES = 1_000;

  private final GroupReplays replays;
  private final Failures failures;
  private final Audit audit;

  ReplaysController(GroupReplays replays, Failures failures, Audit audit) {
    this.replays = replays;
    this.failures = failures;
    this.audit = audit;
  }

  /**
   * @param what the error of the first message in words; null if there is none
   */
  record Run(
      String id,
      String service,
      String error,
      @Nullable String statement,
      @Nullable String what,
      String by,
      String reason,
      @JsonUnwrapped GroupReplay.Progress progress) {

    static Run of(GroupReplay replay) {
      Selection selection = replay.selection();
      Failures.Cause cause = selection.filter().cause();
      return new Run(
          replay.id(),
          selection.service(),
          selection.error(),
          cause == null ? null : cause.statement(),
          selection.what(),
          replay.order().actor().name(),
          replay.order().reason(),
          replay.progress());
    }
  }

  record Runs(List<Run> runs) {}

  /** The replays of this instance that run or ended within the last hour, the newest first. */
  @GetMapping
  Runs runs() {
    return new Runs(replays.lately().stream().map(Run::of).toList());
  }

  @GetMapping("/{id}")
  Run one(@PathVariable String id) {
    return Run.of(find(id));
  }

  private GroupReplay find(String id) {
    return replays
        .find(id)
        .orElseThrow(() ->
            Problem.notFound(
                "There is no such replay on this instance, or it ended more than an hour ago."));
  }

  /** Replays the messages of a group. */
  @PostMapping
  @ResponseStatus(HttpStatus.ACCEPTED)
  Run start(@RequestBody GroupCommand command, HttpServletRequest request) {
    String reason = Command.required(command.reason());
    double perSecond = Objects.requireNonNullElse(command.perSecond(), 5.0);
    int stopAfter = Objects.requireNonNullElse(command.stopAfterFailures(), 3);
    if (!(perSecond > 0 && perSecond <= FASTEST) || stopAfter < 1 || stopAfter > MOST_FAILURES) {
      throw Problem.invalid(
          "perSecond must be above 0 and at most 1,000, stopAfterFailures from 1 to 1,000.");
    }
    Selection selection = command.selection(failures);
    Actor actor = Caller.of(request);
    return Run.of(
        replays.start(
            selection,
            new GroupReplay.Order(
                actor, reason, perSecond, stopAfter, request.isUserInRole(Caller.ADMIN))));
  }

  @PostMapping("/{id}/stop")
  Run stop(
      @PathVariable String id,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    GroupReplay replay = find(id);
    Actor actor = Caller.of(request);
    String target = replay.selection().target();
    return audit.perform(
        Audit.Entry.allowed(actor, "failures.replay.stop", target, Command.optional(command)),
        () -> {
          replay.stop(actor.name());
          return Run.of(replay);
        });
  }
}
