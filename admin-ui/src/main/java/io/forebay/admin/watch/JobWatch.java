/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.verdict.JobTrouble;
import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.JobScheduleView;
import io.forebay.operations.jobs.JobSchedules;
import io.forebay.operations.jobs.JobView;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at jobs and schedules every few seconds, because that needs the database. While the
 * database does not respond, the last result holds. One thread looks, many read.
 */
final class JobWatch implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(JobWatch.class);
  private static final Duration PAUSE = Duration.ofSeconds(5);

  private final @Nullable JobOperations jobs;
  private final @Nullable JobSchedules schedules;
  private final InstantSource clock;
  private final BackgroundTask task;
  private final Map<String, Instant> since = new LinkedHashMap<>();
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private volatile List<JobTrouble> troubles = List.of();
  private volatile List<String> names = List.of();

  /**
   * @param jobs null if there are none in this process
   * @param schedules null if there are none in this process
   */
  JobWatch(@Nullable JobOperations jobs, @Nullable JobSchedules schedules, InstantSource clock) {
    this.jobs = jobs;
    this.schedules = schedules;
    this.clock = clock;
    task =
        new BackgroundTask(
            "forebay-job-watch",
            PAUSE,
            new Outage(log, "Watching jobs", "their alerts stay as they are"),
            this::look);
  }

  void start() {
    if (jobs != null) {
      task.start();
    }
  }

  /** The troubles as of the last look. */
  List<JobTrouble> troubles() {
    return troubles;
  }

  /** The jobs as of the last look. */
  List<String> jobs() {
    return names;
  }

  /** Runs this after each look. */
  void afterEach(Runnable listener) {
    listeners.add(listener);
  }

  void look() {
    Instant now = clock.instant();
    // Read the schedules first: they may restart an execution before the jobs are read.
    List<JobScheduleView> planned =
        schedules == null ? List.<JobScheduleView>of() : schedules.schedules();
    List<JobView> known = jobs == null ? List.of() : jobs.jobs();
    List<JobTrouble> found = new ArrayList<>();
    Set<Long> reported = new HashSet<>();
    planned.forEach(it -> reported.addAll(it.continued()));
    for (JobView job : known) {
      report(job.last(), now, reported, found);
    }
    for (JobScheduleView schedule : planned) {
      JobTrouble.notStarted(schedule).ifPresent(found::add);
      JobTrouble.late(schedule, now).ifPresent(found::add);
      JobExecutionView last = schedule.last();
      if (last != null && last.dead()) {
        report(last, now, reported, found);
      }
      JobTrouble.incomplete(
              schedule,
              schedule.incomplete().stream().filter(it -> !reported.contains(it.id())).toList())
          .ifPresent(found::add);
    }
    troubles = found.stream().map(it -> dated(it, now)).toList();
    names = known.stream().map(JobView::name).toList();
    since.keySet().retainAll(troubles.stream().map(JobWatch::key).toList());
    listeners.forEach(Runnable::run);
  }

  /** Adds the trouble of an execution, once, unless it is continued automatically. */
  private static void report(
      @Nullable JobExecutionView last, Instant now, Set<Long> reported, List<JobTrouble> found) {
    if (last != null && !reported.contains(last.id())) {
      JobTrouble.of(last, now)
          .ifPresent(trouble -> {
            reported.add(last.id());
            found.add(trouble);
          });
    }
  }

  private JobTrouble dated(JobTrouble it, Instant now) {
    Instant begun = it.since() == null ? since.computeIfAbsent(key(it), _ -> now) : it.since();
    return new JobTrouble(
        it.kind(), it.subject(), it.job(), it.sure(), it.text(), it.run(), begun, it.lateSeconds());
  }

  private static String key(JobTrouble trouble) {
    return trouble.kind() + " " + trouble.subject() + " " + trouble.run();
  }

  @Override
  public void close() {
    task.close(PAUSE);
  }
}
