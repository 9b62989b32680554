/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static org.springframework.format.annotation.DurationFormat.Style.COMPOSITE;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.operations.jobs.JobRefused;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.context.SmartLifecycle;
import org.springframework.format.datetime.standard.DurationFormatterUtils;

/**
 * Holds the lock of this process, recovers executions of dead processes, deletes old executions,
 * and stops jobs before everything they use.
 */
final class JobsLifecycle implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(JobsLifecycle.class);
  private static final Duration STEP = Duration.ofMillis(20);

  /** How long the shutdown waits for a running query of the repository. */
  private static final Duration LOOK = Duration.ofSeconds(5);

  /** How often this process shows that it is alive, and looks whether others are. */
  private static final Duration PAUSE = Duration.ofSeconds(2);

  private static final Duration HISTORY = Duration.ofHours(1);

  private final Owners owners;
  private final ProcessLock lock;
  private final Executions executions;
  private final Starter starter;
  private final JobRepository repository;
  private final JobsProperties.Recover recover;
  private final Duration keep;
  private final Duration limit;
  private volatile boolean running;
  private final BackgroundTask own;
  private final BackgroundTask others;
  private final BackgroundTask history;

  /**
   * @param keep how long the executions of an instance are kept after the last one ended; zero: for
   *     ever
   * @param limit how long jobs may take to stop
   */
  JobsLifecycle(
      Owners owners,
      ProcessLock lock,
      Executions executions,
      Starter starter,
      JobRepository repository,
      JobsProperties.Recover recover,
      Duration keep,
      Duration limit) {
    this.owners = owners;
    this.lock = lock;
    this.executions = executions;
    this.starter = starter;
    this.repository = repository;
    this.recover = recover;
    this.keep = keep;
    this.limit = limit;
    own = task("The lock of this process for jobs", PAUSE, this::hold);
    others = task("Recovery of jobs of other processes", PAUSE, this::recoverDead);
    history = task("Deletion of old executions of jobs", HISTORY, this::forget);
  }

  private static BackgroundTask task(String what, Duration pause, Runnable turn) {
    String retry = "it is retried every " + DurationFormatterUtils.print(pause, COMPOSITE);
    return new BackgroundTask(
        "forebay-jobs",
        pause,
        new Outage(log, what, retry),
        () -> {
          try {
            turn.run();
          } catch (RuntimeException e) {
            throw new Unavailable(FailureText.cause(e), e);
          }
        });
  }

  @Override
  public void start() {
    executions.open();
    if (!lock.isShared()) {
      others.run(); // recover dead executions before the application starts jobs
    }
    own.start();
    others.start();
    if (!keep.isZero()) {
      history.start();
    }
    running = true;
  }

  private void hold() {
    lock.hold();
    executions.heed();
  }

  /** Deletes old executions. */
  void forget() {
    Instant before = Instant.now().minus(keep);
    each(
        "job instance %d is not deleted",
        owners.endedBefore(before),
        instance -> {
          if (owners.delete(instance, before)) {
            log.info("job instance {}: deleted (forebay.jobs.keep={})", instance, keep);
          }
        });
  }

  private void recoverDead() {
    each("execution %d is not recovered", owners.running(), this::recoverDead);
  }

  /** Tries all of them, and fails if one failed. */
  private static void each(String failed, List<Long> ids, LongConsumer turn) {
    RuntimeException failure = null;
    for (long id : ids) {
      try {
        turn.accept(id);
      } catch (RuntimeException e) {
        failure = new IllegalStateException(failed.formatted(id), e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private void recoverDead(long id) {
    Owners.Owner owner = owners.owner(id);
    if (owners.isAlive(owner) || recover == JobsProperties.Recover.NONE && !owners.isMine(owner)) {
      return;
    }
    JobExecution dead = repository.getJobExecution(id);
    if (dead == null) {
      return;
    }
    try {
      JobExecution recovered = executions.recover(dead);
      if (recover == JobsProperties.Recover.RESTART) {
        restart(recovered, dead.getStatus());
      }
    } catch (JobRefused _) {
      // another process recovered it
    }
  }

  private void restart(JobExecution recovered, BatchStatus before) {
    long id = recovered.getId();
    if (before == BatchStatus.STOPPING) {
      log.info(
          "execution {} was asked to stop before its process died; it is not restarted automatically",
          id);
      return;
    }
    try {
      log.info("execution {} is restarted, because its process died", id);
      starter.begin(
          starter.known(recovered.getJobInstance().getJobName()),
          recovered.getJobParameters(),
          "restarted automatically after execution " + id);
    } catch (JobRefused e) {
      log.warn(
          "execution {} was recovered but cannot be restarted automatically: {}",
          id,
          e.getMessage());
    }
  }

  @Override
  public void stop() {
    try {
      stopJobs();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      history.close(LOOK);
      others.close(LOOK);
      running = false;
      leave();
    }
  }

  private void stopJobs() throws InterruptedException {
    long begun = System.nanoTime();
    executions.close();
    executions.running().forEach(executions::stopHere);
    while (!executions.running().isEmpty() && System.nanoTime() - begun < limit.toNanos()) {
      Thread.sleep(STEP);
    }
  }

  /** Releases the lock; if an execution still runs, only when the pool of its session closes. */
  private void leave() {
    if (!executions.running().isEmpty()) {
      log.warn(
          "executions {} did not stop in time (limit={}); they are recovered when this process has ended",
          executions.running(),
          DurationFormatterUtils.print(limit, COMPOSITE));
      return;
    }
    own.close(LOOK);
    lock.close();
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Last to start and first to stop. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE - 1;
  }
}
