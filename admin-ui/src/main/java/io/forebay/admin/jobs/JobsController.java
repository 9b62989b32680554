/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.jobs;

import com.fasterxml.jackson.annotation.JsonAnySetter;
import io.forebay.admin.Caller;
import io.forebay.admin.Command;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.commands.RecordedCommand;
import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.JobRefused;
import io.forebay.operations.jobs.JobView;
import io.forebay.operations.jobs.StatementRights;
import io.forebay.text.WholeText;
import io.forebay.web.ForebayController;
import io.forebay.web.Problem;
import jakarta.servlet.http.HttpServletRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Batch jobs, and commands to them. Each command is in the audit before it takes effect. */
@ForebayController
@RequestMapping({"/api/v1/jobs", "/admin/api/v1/jobs"})
final class JobsController {

  private final @Nullable JobOperations jobs;
  private final StatementRights rights;
  private final Audit audit;

  /**
   * @param jobs null if there are none in this process
   */
  JobsController(@Nullable JobOperations jobs, StatementRights rights, Audit audit) {
    this.jobs = jobs;
    this.rights = rights;
    this.audit = audit;
  }

  record Jobs(List<JobView> jobs) {}

  @GetMapping
  Jobs jobs() {
    return new Jobs(jobs == null ? List.of() : jobs.jobs());
  }

  @GetMapping("/{name}")
  JobView job(@PathVariable String name) {
    return find(name);
  }

  /**
   * @param next the value of {@code before} for the next page; null if there is none
   */
  record Executions(List<JobExecutionView> executions, @Nullable Long next) {}

  @GetMapping("/{name}/executions")
  Executions executions(
      @PathVariable String name,
      @RequestParam(required = false) @Nullable Long before,
      @RequestParam(defaultValue = "20") int limit) {
    find(name);
    List<JobExecutionView> page =
        known().executions(name, before == null ? Long.MAX_VALUE : before, limit);
    return new Executions(page, page.size() < limit ? null : page.getLast().id());
  }

  @GetMapping("/executions/{id}")
  JobExecutionView execution(@PathVariable long id) {
    return find(id);
  }

  /**
   * The body of a start.
   *
   * @param parameters by name; texts, numbers or null
   * @param reason the reason that the caller gives
   * @param others members that a start does not have
   */
  record Start(
      @JsonDeserialize(contentUsing = AsWritten.class)
          @Nullable Map<String, @Nullable Object> parameters,
      @Nullable JsonNode reason,
      @JsonAnySetter @Nullable Map<String, @Nullable Object> others) {

    Map<String, @Nullable String> texts() {
      if (others != null && !others.isEmpty()) {
        throw Problem.invalidField(
            "/" + others.keySet().iterator().next(), "is unknown; allowed: parameters, reason");
      }
      Map<String, @Nullable String> texts = new LinkedHashMap<>();
      if (parameters != null) {
        parameters.forEach((name, value) -> texts.put(name, text(name, value)));
      }
      return texts;
    }

    private static @Nullable String text(String name, @Nullable Object value) {
      return switch (value) {
        case null -> null;
        case String text when WholeText.is(text) -> text;
        case Boolean yes -> yes.toString();
        default ->
            throw Problem.invalidField(
                "/parameters/" + name,
                "must be %s, a number, true, false or null".formatted(WholeText.EXPECTED));
      };
    }
  }

  /** Reads a number as the text that was sent; a double would change some fractions. */
  static final class AsWritten extends ValueDeserializer<Object> {

    @Override
    public Object deserialize(JsonParser in, DeserializationContext context) {
      return in.currentToken().isNumeric() ? in.getString() : context.readValue(in, Object.class);
    }
  }

  /** Responds as soon as the execution is stored; the job runs in the background. */
  @PostMapping("/{name}/executions")
  @ResponseStatus(HttpStatus.ACCEPTED)
  JobExecutionView start(
      @PathVariable String name,
      @RequestBody(required = false) @Nullable Start start,
      HttpServletRequest request) {
    Actor actor = Caller.of(request);
    JobView job = find(name);
    Start given = start == null ? new Start(null, null, null) : start;
    Map<String, @Nullable String> parameters = given.texts();
    String target = RecordedCommand.started(name, parameters);
    return audit.perform(
        Audit.Entry.allowed(actor, "job.start", target, Command.optional(given.reason()))
            .changing(JobExecutionView.start(job.last())),
        () -> known().start(name, parameters, actor, Caller.rights(rights, request)));
  }

  @PostMapping("/executions/{id}/stop")
  @ResponseStatus(HttpStatus.ACCEPTED)
  JobExecutionView stop(
      @PathVariable long id,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    return perform("job.stop", "STOPPING", id, command, request, known()::stop);
  }

  @PostMapping("/executions/{id}/restart")
  @ResponseStatus(HttpStatus.ACCEPTED)
  JobExecutionView restart(
      @PathVariable long id,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    return perform(
        "job.restart",
        "restarted as another execution",
        id,
        command,
        request,
        (it, actor) -> known().restart(it, actor, Caller.rights(rights, request)));
  }

  @PostMapping("/executions/{id}/recover")
  JobExecutionView recover(
      @PathVariable long id,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    return perform("job.recover", "FAILED", id, command, request, known()::recover);
  }

  @PostMapping("/executions/{id}/abandon")
  JobExecutionView abandon(
      @PathVariable long id,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    return perform("job.abandon", "ABANDONED", id, command, request, known()::abandon);
  }

  private JobExecutionView perform(
      String action,
      String after,
      long id,
      @Nullable Command command,
      HttpServletRequest request,
      BiFunction<Long, Actor, JobExecutionView> effect) {
    Actor actor = Caller.of(request);
    JobExecutionView execution = find(id);
    String target = execution.job() + " execution " + id;
    return audit.perform(
        Audit.Entry.allowed(actor, action, target, Command.optional(command))
            .changing(Audit.Change.of("state", execution.state(), after)),
        () -> effect.apply(id, actor));
  }

  private JobOperations known() {
    if (jobs == null) {
      throw Problem.notFound("There are no jobs in this process.");
    }
    return jobs;
  }

  private JobView find(String name) {
    return known()
        .job(name)
        .orElseThrow(
            () -> JobRefused.unknownJob(name, known().jobs().stream().map(JobView::name).toList()));
  }

  private JobExecutionView find(long id) {
    return known().execution(id).orElseThrow(() -> Problem.notFound("There is no such execution."));
  }
}
