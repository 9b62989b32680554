/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import io.forebay.operations.jobs.JobRefused;
import io.forebay.service.progress.Unavailable;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.job.parameters.JobParameters;

/**
 * Runs jobs to their end. Thread-safe.
 *
 * <p>The same parameters mean the same run. A run that failed or was stopped resumes where it
 * ended. If the process that ran it died, the call recovers the execution and resumes it. If
 * another live process runs it, the call waits for that execution to end and returns it.
 *
 * <p>The call waits while the system database does not respond, for at most 10 minutes.
 *
 * <p>If the thread is interrupted, an execution that the call started is stopped at the end of its
 * chunk and returned, and the thread stays interrupted. An execution of another process keeps
 * running. Shutting the application down stops executions in the same way.
 */
public interface Jobs {

  /**
   * Runs a job with exactly these parameters; an incrementer of the job is not used.
   *
   * @return the execution after its end: completed, failed or stopped
   * @throws JobRefused if a run with these parameters is complete ({@code ALREADY_COMPLETE}), or
   *     the job cannot be started; {@link JobRefused#reason} says why
   * @throws Unavailable if the system database did not respond for 10 minutes
   * @throws IllegalStateException if the system database is not as it must be; waiting does not
   *     help
   * @throws InterruptedException if the thread was interrupted before the call started an execution
   */
  JobExecution runAndWait(Job job, JobParameters parameters) throws InterruptedException;

  /**
   * As {@link #runAndWait(Job, JobParameters)}, for a job bean and parameters as text, which its
   * {@link JobDescription} gives types; without a description they are identifying texts.
   *
   * @throws JobRefused also if the job is unknown or does not accept the parameters
   */
  JobExecution runAndWait(String job, Map<String, @Nullable String> parameters)
      throws InterruptedException;
}
