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
import org.jspecify.annotations.Nullable;

/**
 * A job whose last execution lost its process, that has failed runs, or whose last run skipped many
 * items.
 *
 * @param subject identifies the trouble
 * @param execution the execution that it is about; null if it is about several
 * @param since null if it was not known before
 */
public record JobAlert(
    String subject,
    Severity severity,
    String job,
    @Nullable Long execution,
    @Nullable Instant since,
    Figures.Job figures) {

  /** How long a failed execution is reported if nobody restarts or abandons it. */
  public static final Duration SHOWN = Duration.ofDays(7);

  /** Begins the failure of an execution whose process died. */
  private static final String LOST = "Recovered: ";

  /** The parameter that has the due time of a schedule. */
  private static final String DUE = "due";

  /** The least share of skipped items that is reported. */
  private static final double SKIPPED = 0.01;

  /** An execution whose process is dead. */
  public static JobAlert dead(JobExecutionView execution) {
    return of(
        execution.job() + "/dead", Severity.BAD, figures(Figures.Trouble.DEAD, List.of(execution)));
  }

  /**
   * The open failures of a job.
   *
   * @param runs at least one, newest first
   */
  public static JobAlert failed(List<JobExecutionView> runs) {
    JobExecutionView newest = runs.getFirst();
    Figures.Trouble trouble =
        newest.failure().startsWith(LOST)
            ? Figures.Trouble.LOST
            : hasBegun(newest) ? Figures.Trouble.FAILED : Figures.Trouble.NOT_BEGUN;
    JobAlert found = of(newest.job(), Severity.BAD, figures(trouble, runs));
    return runs.size() == 1
        ? found
        : new JobAlert(
            found.subject(),
            Severity.BAD,
            found.job(),
            null,
            runs.getLast().ended(),
            found.figures());
  }

  /** A complete execution that skipped many items. */
  public static JobAlert skipped(JobExecutionView execution) {
    return of(
        execution.job() + "/skipped",
        Severity.WATCH,
        figures(Figures.Trouble.SKIPPED, List.of(execution)));
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

  /** The same, with the time since which it is known. */
  public JobAlert knownSince(Instant begun) {
    return new JobAlert(subject, severity, job, execution, begun, figures);
  }

  private static JobAlert of(String subject, Severity severity, Figures.Job figures) {
    return new JobAlert(
        subject, severity, figures.job(), figures.execution(), figures.ended(), figures);
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
