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
import io.forebay.operations.failures.Failure;
import io.forebay.operations.failures.FailureValues;
import io.forebay.operations.failures.Failures;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;

/**
 * Lists messages that were not performed; replays them, sets them aside, discards and exports them.
 * Shows the size of their content; the content only with a look that is in the audit.
 */
@ForebayController
@RequestMapping("/api/v1/failed")
final class FailedController {

  private static final String DEFAULT_LIMIT = "100";

  private final Failures failures;
  private final Audit audit;

  FailedController(Failures failures, Audit audit) {
    this.failures = failures;
    this.audit = audit;
  }

  @GetMapping
  Failures.Page list(
      @RequestParam(required = false) @Nullable String service,
      @RequestParam(required = false) @Nullable String before,
      @RequestParam(defaultValue = DEFAULT_LIMIT) int limit) {
    return failures.list(
        Parameters.text("service", service), Parameters.text("before", before), limit);
  }

  @GetMapping("/{id}")
  Failure one(@PathVariable String id) {
    return failures.find(id).orElseThrow(ShownValues::unknown);
  }

  @PostMapping("/{id}/replay")
  @ResponseStatus(HttpStatus.ACCEPTED)
  Failure replay(
      @PathVariable String id,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    Actor actor = Caller.of(request);
    Failure failure = failures.find(id).orElseThrow(ShownValues::unknown);
    String reason = Command.required(command);
    if (ReplayPlan.isOver(failure) && !request.isUserInRole(Caller.ADMIN)) {
      throw new Problem(ProblemType.NOT_PERMITTED, "This needs the role admin.");
    }
    return audit.perform(
        Audit.Entry.allowed(actor, "failed.replay", id, reason)
            .changing(
                Audit.Change.between(
                    failure.fields(), Failure.fields(Failure.State.REPLAYED, "", ""))),
        () -> failures.replay(id, actor.name()).orElseThrow(ShownValues::unknown));
  }

  @PostMapping("/{id}/values")
  ResponseEntity<FailureValues> values(@PathVariable String id, HttpServletRequest request) {
    return ShownValues.answer(failures, id, Caller.of(request), audit);
  }

  @PostMapping("/{id}/{decision:" + FailureCommands.DECISIONS + "}")
  Failure decide(
      @PathVariable String id,
      @PathVariable String decision,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    return FailureCommands.decide(failures, id, decision, Caller.of(request), command, audit);
  }

  @PostMapping("/{id}/export")
  ResponseEntity<FailureCommands.Exported> export(
      @PathVariable String id,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    return FailureCommands.export(failures, id, Caller.of(request), command, audit);
  }
}
