/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.undo;

import io.forebay.admin.Refused;
import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.operations.Inverse;
import io.forebay.operations.jobs.JobScheduleView;
import io.forebay.operations.jobs.JobSchedules;
import java.util.SequencedMap;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Resumes a schedule that a command paused, and pauses one that it resumed. */
final class ScheduleInverse implements Inverse {

  private final JobSchedules schedules;

  ScheduleInverse(JobSchedules schedules) {
    this.schedules = schedules;
  }

  @Override
  public Set<String> actions() {
    return Set.of("schedule.pause", "schedule.resume");
  }

  @Override
  public String role() {
    return "operator";
  }

  @Override
  public @Nullable Undo plan(Audit.Entry done, Actor actor, String reason) {
    String name = done.target();
    return schedules.schedules().stream()
        .filter(it -> it.name().equals(name))
        .findFirst()
        .map(it -> plan(it, done.change(), actor, reason))
        .orElse(null);
  }

  private Undo plan(JobScheduleView schedule, Audit.Change change, Actor actor, String reason) {
    SequencedMap<String, String> now = schedule.fields();
    SequencedMap<String, String> before = change.restore(now);
    String old = before.getOrDefault("reason", "");
    return "paused".equals(before.get("state"))
        ? new Undo(
            "schedule.pause",
            now,
            JobScheduleView.fields(true, old, actor.name()),
            () -> replace(schedule, true, old, actor))
        : new Undo(
            "schedule.resume",
            now,
            JobScheduleView.fields(false, "", ""),
            () -> replace(schedule, false, reason, actor));
  }

  private void replace(JobScheduleView seen, boolean paused, String reason, Actor actor) {
    if (!schedules.replace(seen, paused, reason, actor)) {
      throw Refused.conflict("Another command changed the schedule at the same time.");
    }
  }
}
