/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.service.Unavailable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The batch jobs of this process, and their executions in every process that shares the system
 * database. Thread-safe.
 *
 * <p>Everything here throws {@link Unavailable} if the database does not answer. A command that was
 * answered is durable: after a crash the execution is found as it was left.
 */
public interface JobOperations {

  /** How many executions one page holds at most. */
  int MAX_LIMIT = 200;

  /** The jobs known here, by name, each with its last execution. */
  List<JobView> jobs();

  /** One of them. */
  Optional<JobView> job(String name);

  /**
   * Executions of a job, the newest first, without their steps.
   *
   * @param before only those with a smaller id, or {@link Long#MAX_VALUE}
   * @param limit how many, from 1 to {@link #MAX_LIMIT}
   * @throws JobRefused if the job is not known here
   */
  List<JobExecutionView> executions(String job, long before, int limit);

  /** One execution with its steps. */
  Optional<JobExecutionView> execution(long id);

  /**
   * Starts a job on a thread of its own. With the identifying parameters of an execution that
   * failed or was stopped, it goes on where that one ended.
   *
   * @param parameters as text; null or missing for the default
   * @return the execution; it may have begun already
   * @throws JobRefused if the job is unknown, a parameter is not valid, or these parameters run or
   *     ran to the end already
   */
  JobExecutionView start(String job, Map<String, @Nullable String> parameters, Actor by);

  /**
   * Has an execution stop at the end of its chunk, wherever it runs.
   *
   * @throws JobRefused if it does not run
   */
  JobExecutionView stop(long id, Actor by);

  /**
   * Goes on where an execution failed or was stopped: a new execution with the same parameters.
   *
   * @throws JobRefused if it is not the last with its parameters, runs, or is complete
   */
  JobExecutionView restart(long id, Actor by);

  /**
   * Marks an execution as failed that no live process runs, so that it can be restarted. What its
   * process should still write, if it only seemed dead, is refused.
   *
   * @throws JobRefused if a live process runs it, or it has ended
   */
  JobExecutionView recover(long id, Actor by);
}
