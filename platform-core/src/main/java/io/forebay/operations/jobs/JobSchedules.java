/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.jobs;

import io.forebay.operations.Actor;
import io.forebay.service.progress.Unavailable;
import java.util.List;
import java.util.function.Predicate;

/**
 * The schedules of jobs, which all processes that share the system database have in common.
 * Thread-safe.
 *
 * <p>Every method throws {@link Unavailable} if the database does not respond, and {@link
 * JobRefused} if there is no such schedule. A command is durable when it returns.
 */
public interface JobSchedules {

  /** All schedules, by name. */
  List<JobScheduleView> schedules();

  /** Starts no further runs; due times that pass are skipped. A running job continues. */
  JobScheduleView pause(String name, String reason, Actor by);

  /** Starts runs again, from the next due time. */
  JobScheduleView resume(String name, String reason, Actor by);

  /**
   * Pauses or resumes it, unless it was paused or resumed since the caller saw it.
   *
   * @param seen the schedule as the caller saw it
   * @return false if it was; nothing is changed then
   */
  boolean replace(JobScheduleView seen, boolean paused, String reason, Actor by);

  /**
   * Starts the job at once, with the parameters of the schedule and the present time as its due
   * time, also while the schedule is paused.
   *
   * @param maySend whether the one who starts it may send the statement with a name
   * @throws JobRefused also if the job cannot be started
   */
  JobExecutionView runNow(String name, Actor by, Predicate<String> maySend);
}
