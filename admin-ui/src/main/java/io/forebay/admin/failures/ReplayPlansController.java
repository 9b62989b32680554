/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import io.forebay.admin.Caller;
import io.forebay.admin.Command;
import io.forebay.admin.Parameters;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.failures.Failures;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import tools.jackson.databind.JsonNode;

/** Plans to replay a group of failures, or to decide about it, and what becomes of them. */
@ForebayController
@RequestMapping("/admin/api/v1/failures/plans")
final class ReplayPlansController {

  private static final int SAMPLE = 5;
  private static final double FASTEST = 1_000;
  private static final int MOST_FAILURES = 1_000;

  private final ReplayPlans plans;
  private final Failures failures;
  private final Audit audit;

  ReplayPlansController(ReplayPlans plans, Failures failures, Audit audit) {
    this.failures = failures;
    this.plans = plans;
    this.audit = audit;
  }

  record Wanted(
      @Nullable String service,
      @Nullable String error,
      @Nullable String cause,
      @Nullable String state,
      @Nullable List<String> ids) {}

  /**
   * @param running the plan of a running replay of some of these messages; null if there is none
   */
  record Plan(
      String id,
      int count,
      int performable,
      int overReplays,
      Instant expires,
      List<String> sample,
      String effect,
      @Nullable String running) {}

  @PostMapping
  Plan plan(@RequestBody(required = false) @Nullable Wanted wanted) {
    if (wanted == null || wanted.service() == null || wanted.error() == null) {
      throw Problem.invalid("The body must name service and error.");
    }
    Parameters.text("/service", wanted.service());
    Parameters.text("/error", wanted.error());
    ReplayPlan plan =
        plans.make(
            wanted.service(),
            wanted.error(),
            Causes.of("/cause", wanted.cause()),
            FailuresController.state(wanted.state()),
            wanted.ids());
    ReplayRun same = plans.runningWithAnyOf(plan.all());
    return new Plan(
        plan.id(),
        plan.count(),
        plan.ids().size(),
        plan.overReplays().size(),
        plan.expires(),
        plan.ids().stream().limit(SAMPLE).toList(),
        "%s gets 5 more messages per second, or the rate that you set below"
            .formatted(wanted.service()),
        same == null ? null : same.plan().id());
  }

  record Order(
      @Nullable JsonNode reason, @Nullable Double perSecond, @Nullable Integer stopAfterFailures) {}

  /**
   * A replay. {@code count} is the sum of {@code done}, {@code failed}, {@code pending}, {@code
   * refused}, {@code skipped} and {@code notAttempted}; see {@link ReplayProgress}.
   *
   * @param what the error of the first one in words; null if there is none
   * @param secondsLeft until all are sent; null if that is not known
   * @param started by whom, when and why; null if the plan has not been run
   */
  record Run(
      String id,
      String state,
      String service,
      String error,
      @Nullable String statement,
      @Nullable String what,
      int count,
      int sent,
      int done,
      int failed,
      int pending,
      int refused,
      int skipped,
      int notAttempted,
      @Nullable Double secondsLeft,
      String text,
      @Nullable Started started) {

    static Run of(ReplayPlan plan, @Nullable ReplayProgress now, @Nullable ReplayRun run) {
      ReplayPlan.Group group = plan.group();
      ReplayProgress shown = now == null ? ReplayProgress.planned(plan.count()) : now;
      return new Run(
          plan.id(),
          now == null ? "planned" : now.state().name().toLowerCase(Locale.ROOT),
          group.service(),
          group.error(),
          group.cause() == null ? null : group.cause().statement(),
          group.what(),
          shown.count(),
          shown.sent(),
          shown.done(),
          shown.failed(),
          shown.pending(),
          shown.refused(),
          shown.skipped(),
          shown.notAttempted(),
          run == null ? null : run.secondsLeft(),
          shown.text(),
          run == null ? null : Started.of(run, shown));
    }
  }

  record Started(String by, Instant at, String reason, @Nullable Instant ended) {

    static Started of(ReplayRun run, ReplayProgress now) {
      return new Started(
          run.order().actor().name(), run.started(), run.order().reason(), now.ended());
    }
  }

  record Runs(List<Run> runs) {}

  /** The replays of this instance that run or ended within the last hour, the newest first. */
  @GetMapping
  Runs runs() {
    return new Runs(
        plans.lately().stream().map(run -> Run.of(run.plan(), run.progress(), run)).toList());
  }

  @PostMapping("/{id}/run")
  @ResponseStatus(HttpStatus.ACCEPTED)
  Run run(
      @PathVariable String id,
      @RequestBody(required = false) @Nullable Order order,
      HttpServletRequest request) {
    Actor actor = Caller.of(request);
    plans.plan(id);
    String reason = Command.required(order == null ? null : order.reason());
    double perSecond = order == null || order.perSecond() == null ? 5 : order.perSecond();
    int failures =
        order == null || order.stopAfterFailures() == null ? 3 : order.stopAfterFailures();
    if (!(perSecond > 0 && perSecond <= FASTEST) || failures < 1 || failures > MOST_FAILURES) {
      throw Problem.invalid(
          "perSecond must be above 0 and at most 1,000, stopAfterFailures from 1 to 1,000.");
    }
    plans.run(
        id,
        new ReplayPlan.Order(actor, reason, perSecond, failures),
        request.isUserInRole(Caller.ADMIN));
    return view(id);
  }

  @GetMapping("/{id}")
  Run one(@PathVariable String id) {
    return view(id);
  }

  @PostMapping("/{id}/stop")
  Run stop(
      @PathVariable String id,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    plans.stop(id, Caller.of(request), Command.optional(command));
    return view(id);
  }

  /**
   * @param decided about how many; others were deleted, or somebody else decided about them before
   */
  record Decided(int decided) {}

  @PostMapping("/{id}/{decision:" + FailureCommands.DECISIONS + "}")
  Decided decide(
      @PathVariable String id,
      @PathVariable String decision,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    ReplayPlan plan = plans.plan(id);
    return new Decided(
        FailureCommands.decideAll(plan, failures, decision, Caller.of(request), command, audit));
  }

  private Run view(String id) {
    ReplayRun run = plans.find(id);
    return Run.of(plans.plan(id), run == null ? null : run.progress(), run);
  }
}
