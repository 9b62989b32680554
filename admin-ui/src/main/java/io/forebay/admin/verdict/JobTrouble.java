/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobScheduleView;
import io.forebay.operations.jobs.JobStepView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A job that failed, a run that was not started or is not complete, or a run that misses its
 * window.
 *
 * @param kind {@link AlertKind#JOB} or {@link AlertKind#WINDOW}
 * @param subject the job or the schedule; identifies the trouble
 * @param sure whether it has happened, and is not only expected
 * @param run the due time of the run that it speaks of; null if it is not about one run
 * @param execution the execution that it is about; null if it is about none or several
 * @param since null if it was not known before
 * @param lateSeconds by how much the run misses its window; null for a failed job
 */
public record JobTrouble(
    AlertKind kind,
    String subject,
    String job,
    boolean sure,
    String text,
    @Nullable Instant run,
    @Nullable Long execution,
    @Nullable Instant since,
    @Nullable Double lateSeconds) {

  /** How long a failed execution is reported if nobody restarts or abandons it. */
  public static final Duration SHOWN = Duration.ofDays(7);

  /** An execution whose process is dead. */
  public static JobTrouble dead(JobExecutionView execution) {
    return new JobTrouble(
        AlertKind.JOB,
        execution.job() + "/dead",
        execution.job(),
        true,
        JobSentences.dead(execution),
        null,
        execution.id(),
        execution.ended(),
        null);
  }

  /**
   * The open failures of a job.
   *
   * @param runs at least one, newest first
   * @param again whether the newest resumed a run that had failed
   */
  public static JobTrouble failed(String job, List<JobExecutionView> runs, boolean again) {
    return new JobTrouble(
        AlertKind.JOB,
        job,
        job,
        true,
        JobSentences.failed(job, runs, again),
        null,
        runs.size() == 1 ? runs.getFirst().id() : null,
        runs.getLast().ended(),
        null);
  }

  /** The same, with the time since which it is known. */
  public JobTrouble knownSince(Instant begun) {
    return new JobTrouble(kind, subject, job, sure, text, run, execution, begun, lateSeconds);
  }

  /** Why an execution failed, in words; empty if it is not known. */
  public static String why(JobExecutionView failed) {
    return JobSentences.why(failed);
  }

  /** The run of a schedule that was not started. */
  public static Optional<JobTrouble> notStarted(JobScheduleView schedule) {
    return schedule.problem().isEmpty()
        ? Optional.empty()
        : Optional.of(
            new JobTrouble(
                AlertKind.JOB,
                schedule.name(),
                schedule.job(),
                true,
                "Schedule %s: %s".formatted(schedule.name(), schedule.problem()),
                schedule.due(),
                null,
                schedule.due(),
                null));
  }

  /** The runs of a schedule that failed or were stopped, until they are restarted or abandoned. */
  public static Optional<JobTrouble> incomplete(
      JobScheduleView schedule, List<JobExecutionView> runs) {
    return runs.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new JobTrouble(
                AlertKind.JOB,
                schedule.name() + "/incomplete",
                schedule.job(),
                runs.stream().anyMatch(it -> it.state().equals("FAILED")),
                JobSentences.incomplete(schedule, runs),
                null,
                runs.size() == 1 ? runs.getFirst().id() : null,
                runs.getFirst().ended(),
                null));
  }

  private static @Nullable Long execution(JobScheduleView schedule) {
    return schedule.last() == null ? null : schedule.last().id();
  }

  private static JobTrouble endedLate(JobScheduleView schedule, Instant end, Instant ended) {
    double late = Duration.between(end, ended).toNanos() / 1e9;
    return new JobTrouble(
        AlertKind.WINDOW,
        schedule.name(),
        schedule.job(),
        true,
        JobSentences.endedLate(schedule, late),
        schedule.due(),
        execution(schedule),
        ended,
        late);
  }

  private static JobTrouble endedIncomplete(JobScheduleView schedule, Instant end, Instant now) {
    double late = Duration.between(end, now).toNanos() / 1e9;
    return new JobTrouble(
        AlertKind.WINDOW,
        schedule.name(),
        schedule.job(),
        true,
        JobSentences.endedIncomplete(schedule, late),
        schedule.due(),
        execution(schedule),
        end,
        late);
  }

  /**
   * The run of a schedule that is not complete at the end of its window, or will not be. If it
   * ended late, that is reported until the next run.
   */
  public static Optional<JobTrouble> late(JobScheduleView schedule, Instant now) {
    JobExecutionView last = schedule.last();
    Instant end = schedule.mustEnd();
    if (last == null || end == null) {
      return Optional.empty();
    }
    Instant ended = schedule.continued().contains(last.id()) ? null : last.ended();
    if (ended != null && (last.state().equals("FAILED") || last.state().equals("STOPPED"))) {
      return now.isBefore(end)
          ? Optional.empty()
          : Optional.of(endedIncomplete(schedule, end, now));
    }
    if (ended != null) {
      return ended.isAfter(end) ? Optional.of(endedLate(schedule, end, ended)) : Optional.empty();
    }
    double left =
        last.steps().stream()
            .filter(step -> step.partOf() == null)
            .map(JobStepView::progress)
            .filter(Objects::nonNull)
            .map(JobStepView.Progress::secondsLeft)
            .filter(Objects::nonNull)
            .mapToDouble(Double::doubleValue)
            .sum();
    double late = left - Duration.between(now, end).toNanos() / 1e9;
    return late <= 0
        ? Optional.empty()
        : Optional.of(
            new JobTrouble(
                AlertKind.WINDOW,
                schedule.name(),
                schedule.job(),
                !now.isBefore(end),
                JobSentences.window(schedule, now, left),
                schedule.due(),
                execution(schedule),
                null,
                late));
  }
}
