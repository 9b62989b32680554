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
    @Nullable Instant since,
    @Nullable Double lateSeconds) {

  /** How long a failed execution is reported if no other one of the job is started. */
  private static final Duration SHOWN = Duration.ofDays(7);

  /** The trouble of the newest execution of a job. */
  public static Optional<JobTrouble> of(JobExecutionView last, Instant now) {
    Instant ended = Objects.requireNonNullElse(last.ended(), last.created());
    boolean failed = last.state().equals("FAILED") && ended.plus(SHOWN).isAfter(now);
    return failed || last.dead()
        ? Optional.of(
            new JobTrouble(
                AlertKind.JOB,
                last.job(),
                last.job(),
                true,
                JobSentences.job(last),
                null,
                last.ended(),
                null))
        : Optional.empty();
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
                runs.getFirst().ended(),
                null));
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
                null,
                late));
  }
}
