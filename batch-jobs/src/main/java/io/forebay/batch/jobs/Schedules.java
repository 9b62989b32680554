/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SystemClock;
import com.github.kagkarlsson.scheduler.jdbc.DefaultJdbcCustomization;
import com.github.kagkarlsson.scheduler.logging.LogLevel;
import com.github.kagkarlsson.scheduler.task.ExecutionComplete;
import com.github.kagkarlsson.scheduler.task.ExecutionOperations;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.Schedule;
import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.machine.CrashPoint;
import io.forebay.operations.StartRefused;
import io.forebay.operations.jobs.JobRefused;
import io.forebay.service.progress.Unavailable;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.batch.core.job.Job;
import org.springframework.batch.core.job.parameters.JobParameters;
import org.springframework.batch.core.job.parameters.JobParametersBuilder;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.support.CronExpression;

/**
 * Starts jobs at their due times. db-scheduler decides which process starts a run, and tries again
 * in another one if that process dies. The due time is an identifying parameter, so the job
 * repository has at most one run of it.
 */
final class Schedules implements SmartInitializingSingleton, SmartLifecycle {

  /** The parameter with the due time, in ISO format with the offset of its zone. */
  static final String DUE = "due";

  private static final Logger log = LoggerFactory.getLogger(Schedules.class);
  private static final Duration POLL = Duration.ofSeconds(2);
  private static final Duration HEARTBEAT = Duration.ofSeconds(5);

  /** How many heartbeats are missed before another process starts the run. */
  private static final int MISSED = 4;

  private final DataSource database;
  private final Starter starter;
  private final DescribedJobs descriptions;
  private final Map<String, JobsProperties.Schedule> configured;
  private final List<RecurringTask<Void>> schedules = new ArrayList<>();
  private final Map<String, List<DueTimes>> times = new HashMap<>();
  private volatile boolean entered;
  private @Nullable Scheduler scheduler;
  private @Nullable BackgroundTask entering;

  /**
   * @param database the database of the job repository
   */
  Schedules(
      DataSource database,
      Starter starter,
      DescribedJobs descriptions,
      Map<String, JobsProperties.Schedule> configured) {
    this.database = database;
    this.starter = starter;
    this.descriptions = descriptions;
    this.configured = configured;
  }

  /**
   * @throws StartRefused listing all schedules that are wrong
   */
  @Override
  public void afterSingletonsInstantiated() {
    List<String> wrong = new ArrayList<>();
    configured.forEach((name, settings) -> {
      try {
        schedules.add(schedule(name, settings));
      } catch (IllegalArgumentException | DateTimeException | JobRefused e) {
        wrong.add("forebay.jobs.schedules.%s: %s".formatted(name, e.getMessage()));
      }
    });
    if (!wrong.isEmpty()) {
      throw new StartRefused("Schedules of jobs are wrong: " + String.join("; ", wrong));
    }
  }

  /** A task of db-scheduler whose execution time is the due time. */
  private RecurringTask<Void> schedule(String name, JobsProperties.Schedule settings) {
    DueTimes due = new DueTimes(cron(settings), ZoneId.of(settings.zone()));
    Job job = starter.known(settings.job() == null ? "" : settings.job());
    parameters(job, settings, due.text(due.next(Instant.now()))); // refuses wrong ones
    times.computeIfAbsent(job.getName(), _ -> new ArrayList<>()).add(due);
    return Tasks.recurring(name, due)
        .onFailure(Schedules::tryAgain)
        .onDeadExecution(Schedules::tryAgain)
        .execute((_, context) -> {
          Instant last = due.last(context.getExecution().executionTime, Instant.now());
          begin(name, job, parameters(job, settings, due.text(last)));
          CrashPoint.hit("after-scheduled-start");
        });
  }

  private JobParameters parameters(Job job, JobsProperties.Schedule settings, String due) {
    JobDescription description = descriptions.get(job.getName());
    Map<String, @Nullable String> given = new HashMap<>(settings.parameters());
    if (description != null && description.takes(DUE)) {
      given.put(DUE, due);
    }
    return new JobParametersBuilder(GivenParameters.read(given, description))
        .addString(DUE, due)
        .toJobParameters();
  }

  /** A run that exists was started, even if it failed since or its process died. */
  private void begin(String name, Job job, JobParameters parameters) {
    String due = parameters.getString(DUE);
    if (Starter.guarded(() -> starter.last(job, parameters)) != null) {
      log.info("schedule {}: run of {} was started before", name, due);
      return;
    }
    try {
      starter.begin(job, parameters, "schedule " + name);
    } catch (JobRefused e) {
      if (e.reason() != JobRefused.Reason.INVALID_PARAMETERS) {
        throw e; // tried again: another process starts it, or this one is shutting down
      }
      log.error("schedule {}: run of {} is left out: {}", name, due, e.getMessage());
    }
  }

  /** The next due time of a job; null if it has no schedule. */
  @Nullable Instant next(String job) {
    Instant now = Instant.now();
    return times.getOrDefault(job, List.of()).stream()
        .map(due -> due.next(now))
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  private static CronExpression cron(JobsProperties.Schedule settings) {
    return CronExpression.parse(settings.cron() == null ? "" : settings.cron());
  }

  /** Keeps the due time; the handlers of db-scheduler would set it to the time of the next try. */
  private static void tryAgain(ExecutionComplete failed, ExecutionOperations<Void> operations) {
    operations.reschedule(failed, failed.getExecution().executionTime);
  }

  @Override
  public synchronized void start() {
    if (schedules.isEmpty() || scheduler != null) {
      return;
    }
    List<Task<?>> tasks = List.copyOf(schedules);
    Scheduler created =
        Scheduler.create(database, tasks)
            .tableName("forebay.scheduled_task")
            .jdbcCustomization(new DefaultJdbcCustomization(false))
            .threads(1)
            .pollingInterval(POLL)
            .heartbeatInterval(HEARTBEAT)
            .missedHeartbeatsLimit(MISSED)
            .shutdownMaxWait(Duration.ofSeconds(10))
            .failureLogging(LogLevel.WARN, false)
            .build();
    BackgroundTask task =
        new BackgroundTask(
            "forebay-schedules",
            POLL,
            new Outage(log, "Entering the schedules of jobs", "it is retried"),
            () -> enter(created));
    created.start();
    task.start();
    scheduler = created;
    entering = task;
  }

  /** Enters new and changed schedules, as soon as the database is available. */
  private void enter(Scheduler created) {
    try {
      if (!entered) {
        schedules.forEach(schedule -> schedule.onStartup(created, new SystemClock()));
        entered = true;
      }
    } catch (RuntimeException e) {
      throw new Unavailable(FailureText.cause(e), e);
    }
  }

  @Override
  public synchronized void stop() {
    if (entering != null) {
      entering.close();
      entering = null;
    }
    if (scheduler != null) {
      scheduler.stop();
      scheduler = null;
    }
  }

  @Override
  public synchronized boolean isRunning() {
    return scheduler != null;
  }

  /** Starts after the jobs' lifecycle and stops before it. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }

  /**
   * The due times of a cron expression in a time zone. A time in the hour that daylight saving
   * repeats is due twice. Times in the hour that it leaves out are due once, at the end of that
   * hour.
   */
  record DueTimes(CronExpression cron, ZoneId zone) implements Schedule {

    /**
     * The first due time after a time.
     *
     * @throws IllegalArgumentException if there is none
     */
    Instant next(Instant after) {
      ZoneRules rules = zone.getRules();
      ZoneOffset offset = rules.getOffset(after);
      LocalDateTime from = LocalDateTime.ofInstant(after, offset);
      ZoneOffsetTransition change = rules.nextTransition(after);
      while (true) {
        LocalDateTime due = due(from);
        if (change == null || due.isBefore(change.getDateTimeBefore())) {
          return due.toInstant(offset);
        }
        if (change.isGap() && due.isBefore(change.getDateTimeAfter())) {
          return change.getInstant();
        }
        offset = change.getOffsetAfter();
        from = change.getDateTimeAfter().minusNanos(1);
        change = rules.nextTransition(change.getInstant());
      }
    }

    private LocalDateTime due(LocalDateTime after) {
      @Nullable LocalDateTime due = cron.next(after);
      if (due == null) {
        throw new IllegalArgumentException("cron %s is never due".formatted(cron));
      }
      return due;
    }

    /** The last due time until now, if the first one that was missed is known. */
    Instant last(Instant first, Instant now) {
      Instant last = first;
      for (Instant next = next(first); !next.isAfter(now); next = next(next)) {
        last = next;
      }
      return last;
    }

    /** The due time with its offset, as the run's parameter. */
    String text(Instant due) {
      return OffsetDateTime.ofInstant(due, zone).toString();
    }

    /** The first one after those that were due when the execution began; it left these out. */
    @Override
    public Instant getNextExecutionTime(ExecutionComplete complete) {
      Instant begun = complete.getTimeDone().minus(complete.getDuration());
      return next(last(complete.getExecution().executionTime, begun));
    }

    @Override
    public boolean isDeterministic() {
      return true;
    }
  }
}
