/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.admin.verdict.JobAlert;
import io.forebay.admin.verdict.Problem;
import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.operations.jobs.JobExecutionView;
import io.forebay.operations.jobs.JobOperations;
import io.forebay.operations.jobs.JobView;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at jobs every few seconds, because that needs the database. While the database does not
 * respond, the last result holds. One thread looks, many read.
 */
final class JobWatch implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(JobWatch.class);
  private static final Duration PAUSE = Duration.ofSeconds(3);
  private static final Duration SKIPS_SHOWN = Duration.ofDays(1);

  /** How many open failures are read. */
  private static final int MOST = 100;

  /** Among how many executions the replacement of a failed one is found. */
  private static final int BEFORE = 20;

  private final @Nullable JobOperations jobs;
  private final InstantSource clock;
  private final BackgroundTask task;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();

  private volatile List<Problem> problems = List.of();
  private volatile List<String> names = List.of();
  private volatile Snapshot.@Nullable Jobs tile;

  /**
   * @param jobs null if there are none in this process
   */
  JobWatch(@Nullable JobOperations jobs, InstantSource clock) {
    this.jobs = jobs;
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

  /** The alerts of jobs, as of the last look. */
  List<Problem> problems() {
    return problems;
  }

  /** Whether a run of a job has failed, or its process is dead, as of the last look. */
  boolean hasFailed(String job) {
    return problems.stream().anyMatch(it -> job.equals(it.job()) && it.severity() == Severity.BAD);
  }

  /** The jobs as of the last look. */
  List<String> jobs() {
    return names;
  }

  /** What the home page shows as of the last look; null if there are no jobs. */
  Snapshot.@Nullable Jobs tile() {
    return tile;
  }

  /** Runs this after each look. */
  void afterEach(Runnable listener) {
    listeners.add(listener);
  }

  void look() {
    Instant now = clock.instant();
    List<JobView> known = jobs == null ? List.of() : jobs.jobs();
    List<JobExecutionView> open =
        jobs == null
            ? List.of()
            : withoutReplaced(jobs, jobs.failed(now.minus(JobAlert.SHOWN), MOST));
    List<Problem> found = new ArrayList<>();
    int failed = open.size();
    for (JobView job : known) {
      JobExecutionView last = job.last();
      if (last != null && last.dead()) {
        found.add(JobAlert.dead(last, now));
        failed++;
      }
      if (last != null
          && JobAlert.hasSkipped(last)
          && last.ended() != null
          && last.ended().plus(SKIPS_SHOWN).isAfter(now)) {
        found.add(JobAlert.skipped(last, now));
      }
      List<JobExecutionView> runs =
          open.stream().filter(it -> it.job().equals(job.name())).toList();
      if (!runs.isEmpty()) {
        found.add(JobAlert.failed(runs, now));
      }
    }
    problems = List.copyOf(found);
    names = known.stream().map(JobView::name).toList();
    tile = known.isEmpty() ? null : new Snapshot.Jobs(failed);
    listeners.forEach(Runnable::run);
  }

  /** The failed runs whose work no other run did. */
  private static List<JobExecutionView> withoutReplaced(
      JobOperations jobs, List<JobExecutionView> failed) {
    Map<String, List<JobExecutionView>> latest = new HashMap<>();
    return failed.stream()
        .filter(run ->
            JobAlert.hasBegun(run)
                || latest
                    .computeIfAbsent(run.job(), it -> jobs.executions(it, Long.MAX_VALUE, BEFORE))
                    .stream()
                    .noneMatch(it -> JobAlert.isReplaced(run, it)))
        .toList();
  }

  @Override
  public void close() {
    task.close(PAUSE);
  }
}
