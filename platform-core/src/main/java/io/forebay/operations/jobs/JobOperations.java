/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.jobs;

import io.forebay.operations.Actor;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The batch jobs of this process, and their executions in every process that shares the system
 * database. Thread-safe.
 *
 * <p>Every method throws {@link io.forebay.service.progress.Unavailable} if the database does not
 * respond. A command is durable when it returns: it survives a crash.
 */
public interface JobOperations {

  /** The most executions of a page. */
  int MAX_LIMIT = 200;

  /** The jobs known to this process, by name, each with its last execution. */
  List<JobView> jobs();

  /** One job. */
  Optional<JobView> job(String name);

  /**
   * Executions of a job, newest first, without their steps.
   *
   * @param before only executions with a smaller id, or {@link Long#MAX_VALUE} for all
   * @param limit how many, from 1 to {@link #MAX_LIMIT}
   * @throws JobRefused if this process does not know the job
   */
  List<JobExecutionView> executions(String job, long before, int limit);

  /**
   * The open failures of the jobs of this process: the newest execution of each job instance, if it
   * failed. A failure is no longer open when the execution is restarted or abandoned.
   *
   * @param since only executions that ended after this time
   * @param limit how many, from 1 to {@link #MAX_LIMIT}
   * @return newest first
   */
  List<JobExecutionView> failed(Instant since, int limit);

  /** One execution with its steps. */
  Optional<JobExecutionView> execution(long id);

  /**
   * Starts a job on its own thread. With the identifying parameters of an execution that failed or
   * was stopped, the job resumes where that execution ended.
   *
   * @param parameters as text; null or missing for the default
   * @param maySend whether the one who starts it may send the statement with a name
   * @return the execution, which may already have begun
   * @throws JobRefused if the job is unknown, a parameter is not valid, it performs a statement
   *     that {@code maySend} does not allow, or an execution with these parameters is running or
   *     complete
   */
  JobExecutionView start(
      String job, Map<String, @Nullable String> parameters, Actor by, Predicate<String> maySend);

  /** Starts a job for somebody who may send no statement. */
  default JobExecutionView start(String job, Map<String, @Nullable String> parameters, Actor by) {
    return start(job, parameters, by, _ -> false);
  }

  /**
   * Stops an execution at the end of its current chunk, in whichever process it runs.
   *
   * @throws JobRefused if it is not running
   */
  JobExecutionView stop(long id, Actor by);

  /**
   * Resumes where an execution failed or was stopped, as a new execution with the same parameters.
   *
   * @param maySend whether the one who restarts it may send the statement with a name
   * @throws JobRefused if it is not the newest execution with its parameters, is running, is
   *     complete, or performs a statement that {@code maySend} does not allow
   */
  JobExecutionView restart(long id, Actor by, Predicate<String> maySend);

  /** Restarts an execution for somebody who may send no statement. */
  default JobExecutionView restart(long id, Actor by) {
    return restart(id, by, _ -> false);
  }

  /**
   * Marks an execution that failed or was stopped as abandoned: its run is never restarted, and its
   * parameters cannot be used again.
   *
   * @throws JobRefused if it is not the newest execution with its parameters, is running, or is
   *     complete
   */
  JobExecutionView abandon(long id, Actor by);

  /**
   * Marks an execution without a live process as failed, so that it can be restarted. If its
   * process only seemed dead, its later writes are rejected.
   *
   * @throws JobRefused if a live process runs it, or it has ended
   */
  JobExecutionView recover(long id, Actor by);
}
