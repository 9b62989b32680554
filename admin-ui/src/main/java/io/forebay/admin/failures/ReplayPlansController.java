/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.failures;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.forebay.admin.Caller;
import io.forebay.admin.Command;
import io.forebay.admin.Parameters;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.Failures;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.List;
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
   * @param running the plan of the running replay of the service; null if there is none
   */
  record Plan(
      String id,
      int count,
      int performable,
      int overReplays,
      Instant expires,
      @Nullable String running) {}

  @PostMapping
  Plan plan(@RequestBody(required = false) @Nullable Wanted wanted) {
    String service = wanted == null ? null : Parameters.text("/service", wanted.service());
    String error = wanted == null ? null : Parameters.text("/error", wanted.error());
    if (wanted == null || service == null || error == null) {
      throw Problem.invalid("The body must name service and error.");
    }
    ReplayPlan plan =
        plans.make(
            new Failures.Filter(
                service,
                error,
                Causes.of("/cause", wanted.cause()),
                FailuresController.state(wanted.state())),
            wanted.ids());
    ReplayRun running = plans.running(service);
    return new Plan(
        plan.id(),
        plan.all().size(),
        plan.ids().size(),
        plan.overReplays().size(),
        plan.expires(),
        running == null ? null : running.plan().id());
  }

  record Order(
      @Nullable JsonNode reason, @Nullable Double perSecond, @Nullable Integer stopAfterFailures) {}

  /**
   * @param what the error of the first one in words; null if there is none
   * @param started by whom, when and why
   */
  record Run(
      String id,
      String service,
      String error,
      @Nullable String statement,
      @Nullable String what,
      @JsonUnwrapped ReplayRun.Progress progress,
      Started started) {

    static Run of(ReplayRun run) {
      ReplayPlan plan = run.plan();
      return new Run(
          plan.id(),
          plan.service(),
          plan.error(),
          plan.cause() == null ? null : plan.cause().statement(),
          plan.what(),
          run.progress(),
          new Started(run.order().actor().name(), run.started(), run.order().reason()));
    }
  }

  record Started(String by, Instant at, String reason) {}

  record Runs(List<Run> runs) {}

  /** The replays of this instance that run or ended within the last hour, the newest first. */
  @GetMapping
  Runs runs() {
    return new Runs(plans.lately().stream().map(Run::of).toList());
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
    int stopAfter =
        order == null || order.stopAfterFailures() == null ? 3 : order.stopAfterFailures();
    if (!(perSecond > 0 && perSecond <= FASTEST) || stopAfter < 1 || stopAfter > MOST_FAILURES) {
      throw Problem.invalid(
          "perSecond must be above 0 and at most 1,000, stopAfterFailures from 1 to 1,000.");
    }
    return Run.of(
        plans.run(
            id,
            new ReplayRun.Order(
                actor, reason, request.isUserInRole(Caller.ADMIN), perSecond, stopAfter)));
  }

  @GetMapping("/{id}")
  Run one(@PathVariable String id) {
    return Run.of(plans.find(id));
  }

  @PostMapping("/{id}/stop")
  Run stop(
      @PathVariable String id,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    ReplayRun run = plans.find(id);
    Actor actor = Caller.of(request);
    String target = run.plan().target();
    return audit.perform(
        Audit.Entry.allowed(actor, "failures.replay.stop", target, Command.optional(command)),
        () -> {
          run.stop(actor.name());
          return Run.of(run);
        });
  }

  /**
   * @param decided about how many; others were deleted, or somebody else decided about them before
   */
  record Decided(int decided) {}

  /** Decides about all messages of a plan. */
  @PostMapping("/{id}/{decision:" + FailuresController.DECISIONS + "}")
  Decided decide(
      @PathVariable String id,
      @PathVariable String decision,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    ReplayPlan plan = plans.plan(id);
    Actor actor = Caller.of(request);
    Failure.State to = FailuresController.decision(decision);
    String reason = FailuresController.reason(to, command);
    int decided =
        audit.perform(
            Audit.Entry.allowed(actor, "failures." + decision, plan.target(), reason)
                .changing(ReplayPlan.change(plan.all().size(), to.text())),
            () -> failures.decideAll(plan.all(), to, actor.name(), reason));
    return new Decided(decided);
  }
}
