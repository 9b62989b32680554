/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.jobs;

import io.forebay.admin.Caller;
import io.forebay.admin.Command;
import io.forebay.admin.Refused;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobScheduleView;
import io.forebay.operations.jobs.JobSchedules;
import io.forebay.operations.jobs.StatementRights;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Schedules of jobs, and commands to them. Each command is in the audit before it takes effect. */
@RestController
@RequestMapping({"/api/v1/schedules", "/admin/api/v1/schedules"})
final class SchedulesController {

  private final @Nullable JobSchedules schedules;
  private final StatementRights rights;
  private final Audit audit;

  /**
   * @param schedules null if there are none in this process
   */
  SchedulesController(@Nullable JobSchedules schedules, StatementRights rights, Audit audit) {
    this.schedules = schedules;
    this.rights = rights;
    this.audit = audit;
  }

  record Schedules(List<JobScheduleView> schedules) {}

  @GetMapping
  Schedules schedules() {
    return new Schedules(schedules == null ? List.of() : schedules.schedules());
  }

  @PostMapping("/{name}/pause")
  JobScheduleView pause(
      @PathVariable String name,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    JobScheduleView schedule = find(name);
    Actor actor = Caller.of(request);
    String reason = Command.required(command);
    return audit.perform(
        Command.entry(actor, "schedule.pause", name, reason, schedule.paused())
            .changing(
                Audit.Change.between(
                    schedule.fields(), JobScheduleView.fields(true, reason, actor.name()))),
        () -> known().pause(name, reason, actor));
  }

  @PostMapping("/{name}/resume")
  JobScheduleView resume(
      @PathVariable String name,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    JobScheduleView schedule = find(name);
    Actor actor = Caller.of(request);
    String reason = Command.optional(command);
    return audit.perform(
        Command.entry(actor, "schedule.resume", name, reason, schedule.paused())
            .changing(
                Audit.Change.between(
                    schedule.fields(), JobScheduleView.fields(false, reason, actor.name()))),
        () -> known().resume(name, reason, actor));
  }

  /** Responds as soon as the execution is stored; the job runs in the background. */
  @PostMapping("/{name}/run")
  @ResponseStatus(HttpStatus.ACCEPTED)
  JobExecutionView run(
      @PathVariable String name,
      @RequestBody(required = false) @Nullable Command command,
      HttpServletRequest request) {
    JobScheduleView schedule = find(name);
    Actor actor = Caller.of(request);
    return audit.perform(
        Audit.Entry.allowed(actor, "schedule.run", name, Command.optional(command))
            .changing(JobExecutionView.start(schedule.last())),
        () -> known().runNow(name, actor, Caller.rights(rights, request)));
  }

  private JobSchedules known() {
    if (schedules == null) {
      throw Refused.notFound("There is no such schedule.");
    }
    return schedules;
  }

  private JobScheduleView find(String name) {
    return known().schedules().stream()
        .filter(it -> it.name().equals(name))
        .findFirst()
        .orElseThrow(() -> Refused.notFound("There is no such schedule."));
  }
}
