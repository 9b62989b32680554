/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.operations.jobs.FailureSummary;
import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobStepView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The alerts of a job: its last execution lost its process, it has failed runs, or its last run
 * skipped many items.
 */
public final class JobAlert {

  /** How long a failed execution is reported if nobody restarts or abandons it. */
  public static final Duration SHOWN = Duration.ofDays(7);

  /** Begins the failure of an execution whose process died. */
  private static final String LOST = "Recovered: ";

  /** The parameter that has the due time of a schedule. */
  private static final String DUE = "due";

  /** The least share of skipped items that is reported. */
  private static final double SKIPPED = 0.01;

  private JobAlert() {}

  /** An execution whose process is dead. */
  public static Problem dead(JobExecutionView execution, Instant now) {
    return of("/dead", Severity.BAD, Figures.Trouble.DEAD, List.of(execution), now);
  }

  /**
   * The open failures of a job.
   *
   * @param runs at least one, newest first
   */
  public static Problem failed(List<JobExecutionView> runs, Instant now) {
    JobExecutionView newest = runs.getFirst();
    Figures.Trouble trouble =
        newest.failure().startsWith(LOST)
            ? Figures.Trouble.LOST
            : hasBegun(newest) ? Figures.Trouble.FAILED : Figures.Trouble.NOT_BEGUN;
    return of("", Severity.BAD, trouble, runs, now);
  }

  /** A complete execution that skipped many items. */
  public static Problem skipped(JobExecutionView execution, Instant now) {
    return of("/skipped", Severity.WATCH, Figures.Trouble.SKIPPED, List.of(execution), now);
  }

  /**
   * @param kind identifies the alert among those of the job
   */
  private static Problem of(
      String kind,
      Severity severity,
      Figures.Trouble trouble,
      List<JobExecutionView> runs,
      Instant now) {
    String job = runs.getFirst().job();
    return new Problem(
        OpenAlerts.id(AlertKind.JOB, job + kind),
        severity,
        AlertKind.JOB,
        null,
        null,
        job,
        runs.size() == 1 ? runs.getFirst().id() : null,
        Objects.requireNonNullElse(runs.getLast().ended(), now),
        null,
        figures(trouble, runs));
  }

  /** Whether it is complete, and skipped many of its items. */
  public static boolean hasSkipped(JobExecutionView execution) {
    JobStepView.Counts counts = counts(execution);
    long skipped = skips(counts);
    return execution.state().equals("COMPLETED")
        && skipped > 0
        && skipped >= SKIPPED * (counts.read() + counts.readSkips());
  }

  /**
   * Whether a complete run replaces one that failed before it {@link #hasBegun}: they are not runs
   * for different due times of a schedule.
   */
  public static boolean isReplaced(JobExecutionView failed, JobExecutionView complete) {
    return complete.state().equals("COMPLETED")
        && complete.id() > failed.id()
        && Objects.equals(failed.parameters().get(DUE), complete.parameters().get(DUE));
  }

  private static Figures.Job figures(Figures.Trouble trouble, List<JobExecutionView> runs) {
    JobExecutionView newest = runs.getFirst();
    JobStepView.Counts counts = counts(newest);
    return new Figures.Job(
        trouble,
        newest.job(),
        newest.id(),
        runs.size(),
        newest.ended(),
        trouble == Figures.Trouble.LOST ? "" : FailureSummary.of(newest.failure()),
        counts.read() + counts.readSkips(),
        counts.written(),
        skips(counts),
        trouble == Figures.Trouble.LOST ? newest.parameters() : Map.of());
  }

  /** Whether it read or wrote anything; a step that does not count has a commit or a rollback. */
  public static boolean hasBegun(JobExecutionView run) {
    JobStepView.Counts counts = counts(run);
    return run.steps().isEmpty()
        || counts.read() + counts.written() + counts.commits() + counts.rollbacks() > 0;
  }

  private static JobStepView.Counts counts(JobExecutionView run) {
    return run.steps().stream()
        .filter(it -> it.partOf() == null)
        .map(JobStepView::counts)
        .reduce(new JobStepView.Counts(0, 0, 0, 0, 0, 0, 0, 0), JobStepView.Counts::plus);
  }

  private static long skips(JobStepView.Counts counts) {
    return counts.readSkips() + counts.processSkips() + counts.writeSkips();
  }
}
