/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.operations.jobs.JobExecutionView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A job whose last execution lost its process, or that has failed runs.
 *
 * @param subject identifies the trouble
 * @param execution the execution that it is about; null if it is about several
 * @param since null if it was not known before
 */
public record JobTrouble(
    String subject, String job, String text, @Nullable Long execution, @Nullable Instant since) {

  /** How long a failed execution is reported if nobody restarts or abandons it. */
  public static final Duration SHOWN = Duration.ofDays(7);

  /** An execution whose process is dead. */
  public static JobTrouble dead(JobExecutionView execution) {
    return new JobTrouble(
        execution.job() + "/dead",
        execution.job(),
        JobSentences.dead(execution),
        execution.id(),
        execution.ended());
  }

  /**
   * The open failures of a job.
   *
   * @param runs at least one, newest first
   * @param again whether the newest resumed a run that had failed
   */
  public static JobTrouble failed(String job, List<JobExecutionView> runs, boolean again) {
    return new JobTrouble(
        job,
        job,
        JobSentences.failed(job, runs, again),
        runs.size() == 1 ? runs.getFirst().id() : null,
        runs.getLast().ended());
  }

  /** The same, with the time since which it is known. */
  public JobTrouble knownSince(Instant begun) {
    return new JobTrouble(subject, job, text, execution, begun);
  }

  /** Why an execution failed, in words; empty if it is not known. */
  public static String why(JobExecutionView failed) {
    return JobSentences.why(failed);
  }
}
