/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.schedules;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.batch.StartedBy;
import io.forebay.operations.Actor;
import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.JobRefused;
import io.forebay.operations.jobs.JobScheduleView;
import io.forebay.operations.jobs.JobSchedules;
import io.forebay.service.CrashPoint;
import io.forebay.service.progress.Unavailable;
import io.forebay.text.Formats;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/**
 * Starts jobs at their due times.
 *
 * <p>Every process of a cluster does this. A process claims the newest due time by compare-and-set,
 * starts the job and records the execution. The due time is an identifying parameter, so that the
 * job repository admits one run of it. If the process dies before it recorded the execution, the
 * others start the claimed run: a run that exists is refused as long as it may be alive, and is
 * resumed after it was recovered. A run whose process died later is restarted, at most {@value
 * InterruptedRuns#MOST_RESTARTS} times, and one that a shutdown stopped is restarted too; the next
 * due time waits until that run has ended.
 */
final class Scheduler implements JobSchedules, SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(Scheduler.class);
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration STOP = Duration.ofSeconds(5);
  private static final int NEWEST = 20;

  /** Instead of an execution that is unknown. */
  private static final long NONE = 0;

  private static final int LONGEST_PROBLEM = 1_000;

  private final List<Schedule> schedules;
  private final ScheduleTable table;
  private final InterruptedRuns interrupted;
  private final JobOperations jobs;
  private final InstantSource clock;
  private final BackgroundTask task;

  Scheduler(
      List<Schedule> schedules,
      ScheduleTable table,
      InterruptedRuns interrupted,
      JobOperations jobs,
      InstantSource clock) {
    this.schedules = List.copyOf(schedules);
    this.table = table;
    this.interrupted = interrupted;
    this.jobs = jobs;
    this.clock = clock;
    task =
        new BackgroundTask(
            "forebay-job-schedules",
            PAUSE,
            new Outage(log, "Starting jobs on schedule", "it is retried every second"),
            this::turn);
  }

  /** Starts what is due. A failure with one schedule does not delay the others. */
  void turn() {
    RuntimeException failure = null;
    for (Schedule schedule : schedules) {
      try {
        guarded(() -> turn(schedule));
      } catch (RuntimeException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private boolean turn(Schedule schedule) {
    Instant now = now();
    ScheduleTable.Row row = table.enter(schedule.name(), now);
    Instant claimed = row.claimed();
    if (claimed != null) {
      start(schedule, claimed, now, ""); // the process that claimed it may be dead
      return true;
    }
    // In this order: a run of a dead process may be taken over between the two.
    boolean waits = interrupted.isAnyDead(schedule) || continuesOne(schedule);
    Instant first = schedule.next(row.handledUntil());
    if (first == null || first.isAfter(now)) {
      return false;
    }
    if (row.paused()) {
      table.skipped(schedule.name(), row, now);
      return false;
    }
    Instant due = schedule.last(row.handledUntil(), now);
    if (due == null) {
      missed(schedule, row, first, now);
    } else if (!waits && table.claim(schedule.name(), row, due)) {
      start(schedule, due, now, superseded(schedule, first, due));
    }
    return true;
  }

  /** That the due times before the last one have no run; or nothing. */
  private static String superseded(Schedule schedule, Instant first, Instant due) {
    if (first.equals(due)) {
      return "";
    }
    boolean one = due.equals(schedule.next(first));
    return one
        ? "The run due at %s was skipped, because it could not start in time; the one due at %s was started."
            .formatted(first, due)
        : "The runs due from %s on were skipped, because none could start in time; the one due at %s was started."
            .formatted(first, due);
  }

  private void missed(Schedule schedule, ScheduleTable.Row row, Instant first, Instant now) {
    log.warn(
        "Schedule {}: the run of job {} that was due at {} is skipped, because no process could"
            + " start it within {}",
        schedule.name(),
        schedule.job(),
        first,
        Formats.duration(schedule.latest()));
    table.missed(
        schedule.name(),
        row,
        now,
        problem(first, "skipped, because no process could start it in time."));
  }

  /**
   * Starts the run of a claimed due time, unless it is started already.
   *
   * @param problem which due times before it have no run
   */
  private void start(Schedule schedule, Instant due, Instant now, String problem) {
    String name = schedule.name();
    try {
      JobExecutionView begun =
          jobs.start(schedule.job(), schedule.parameters(due), by(schedule), _ -> true);
      CrashPoint.hit("after-scheduled-start");
      table.started(name, due, begun.id(), problem);
      if (!problem.isEmpty()) {
        log.warn("Schedule {}, job {}: {}", name, schedule.job(), problem);
      }
      log.info(
          "Schedule {}: job {} started for {}, execution {}",
          name,
          schedule.job(),
          due,
          begun.id());
    } catch (JobRefused e) {
      switch (e.reason()) {
        case ALREADY_COMPLETE -> table.started(name, due, complete(schedule, due), problem);
        case UNKNOWN, INVALID_PARAMETERS, NOT_GRANTED -> refused(schedule, due, e);
        default -> {
          // It runs, or its process is dead, or this one shuts down: the next turn looks again.
          if (due.plus(schedule.latest()).isBefore(now)) {
            refused(schedule, due, e);
          }
        }
      }
    }
  }

  private void refused(Schedule schedule, Instant due, JobRefused e) {
    log.error(
        "Schedule {}: job {} refused for {}: {}",
        schedule.name(),
        schedule.job(),
        due,
        e.getMessage());
    table.started(schedule.name(), due, NONE, problem(due, "refused: " + e.getMessage()));
  }

  private static String problem(Instant due, String what) {
    String problem = "The run due at %s was %s".formatted(due, what);
    return problem.substring(0, Math.min(problem.length(), LONGEST_PROBLEM));
  }

  /** The execution that completed the run of a due time, if it is one of the newest. */
  private long complete(Schedule schedule, Instant due) {
    String time = schedule.parameters(due).get(schedule.due());
    return jobs.executions(schedule.job(), Long.MAX_VALUE, NEWEST).stream()
        .filter(it -> Objects.equals(it.parameters().get(schedule.due()), time))
        .map(JobExecutionView::id)
        .findFirst()
        .orElse(NONE);
  }

  /** Whether a run whose process died or shut down is continued; restarts one if none is. */
  private boolean continuesOne(Schedule schedule) {
    List<InterruptedRuns.TakenOver> found = interrupted.takenOver(schedule);
    return found.stream().anyMatch(InterruptedRuns.TakenOver::isOpen)
        || found.stream().anyMatch(it -> restart(schedule, it.execution()));
  }

  private boolean restart(Schedule schedule, long execution) {
    try {
      JobExecutionView begun = jobs.restart(execution, by(schedule), _ -> true);
      log.info(
          "Schedule {}: job {} restarted after execution {}, because its process ended; execution {}",
          schedule.name(),
          schedule.job(),
          execution,
          begun.id());
      return true;
    } catch (JobRefused e) {
      return switch (e.reason()) {
        // Another process has restarted it, or this one shuts down and the next one restarts it.
        case ALREADY_RUNNING, NOT_RUNNING -> true;
        default -> false;
      };
    }
  }

  /**
   * A schedule is part of the configuration, which decides about statements. It does not replace an
   * administrator who confirms what only an administrator may do.
   */
  private static Actor by(Schedule schedule) {
    return StartedBy.automatically(schedule.starter());
  }

  /** Microseconds are what the database keeps. */
  private Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  @Override
  public List<JobScheduleView> schedules() {
    return schedules.stream().map(it -> guarded(() -> view(it))).toList();
  }

  private JobScheduleView view(Schedule schedule) {
    Instant now = now();
    ScheduleTable.Row row = table.enter(schedule.name(), now);
    Instant due = row.due();
    List<Long> continued = interrupted.continued(schedule); // before the executions are read
    return new JobScheduleView(
        schedule.name(),
        schedule.job(),
        schedule.cron().toString(),
        schedule.zone().getId(),
        row.paused(),
        row.changedBy(),
        row.reason(),
        schedule.next(now),
        due,
        due == null || schedule.window() == null ? null : due.plus(schedule.window()),
        row.execution() == null ? null : jobs.execution(row.execution()).orElse(null),
        row.problem(),
        interrupted.incomplete(schedule).stream()
            .flatMap(it -> jobs.execution(it).stream())
            .toList(),
        continued);
  }

  private Schedule find(String name) {
    return schedules.stream()
        .filter(it -> it.name().equals(name))
        .findFirst()
        .orElseThrow(() -> new JobRefused(JobRefused.Reason.UNKNOWN, "There is no such schedule."));
  }

  @Override
  public JobScheduleView pause(String name, String reason, Actor by) {
    return change(find(name), true, reason, by);
  }

  @Override
  public JobScheduleView resume(String name, String reason, Actor by) {
    return change(find(name), false, reason, by);
  }

  @Override
  public boolean replace(JobScheduleView seen, boolean paused, String reason, Actor by) {
    return change(find(seen.name()), seen, paused, reason, by);
  }

  private JobScheduleView change(Schedule schedule, boolean paused, String reason, Actor by) {
    change(schedule, null, paused, reason, by);
    return guarded(() -> view(schedule));
  }

  private boolean change(
      Schedule schedule, @Nullable JobScheduleView seen, boolean paused, String reason, Actor by) {
    boolean changed =
        guarded(() -> {
          table.enter(schedule.name(), now());
          return table.pause(schedule.name(), seen, paused, now(), by.name(), reason);
        });
    if (changed) {
      log.info(
          "Schedule {}: {} requested by {}",
          schedule.name(),
          paused ? "pause" : "resume",
          by.name());
    }
    return changed;
  }

  @Override
  public JobExecutionView runNow(String name, Actor by, Predicate<String> maySend) {
    Schedule schedule = find(name);
    Instant now = now();
    JobExecutionView begun = jobs.start(schedule.job(), schedule.parameters(now), by, maySend);
    return guarded(() -> {
      table.ran(schedule.name(), now, begun.id());
      return begun;
    });
  }

  /** Reports only database failures as an outage; anything else is a defect. */
  private static <T> T guarded(Supplier<T> action) {
    try {
      return action.get();
    } catch (DataAccessException | TransactionException e) {
      throw new Unavailable("the system database does not respond", e);
    }
  }

  @Override
  public void start() {
    task.start();
  }

  @Override
  public void stop() {
    task.close(STOP);
  }

  @Override
  public boolean isRunning() {
    return task.isRunning();
  }

  /** After the jobs have started, and stopped before them. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
