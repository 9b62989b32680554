/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import io.forebay.operations.JobRefused;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.batch.core.BatchStatus;
import org.springframework.batch.core.job.JobExecution;
import org.springframework.batch.core.launch.JobRestartException;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.context.SmartLifecycle;
import org.springframework.dao.DataAccessException;
import org.springframework.transaction.TransactionException;

/**
 * Says that this process lives as long as it does, looks for executions of dead ones, forgets old
 * ones, and stops jobs before anything that they use.
 */
final class JobsLifecycle implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(JobsLifecycle.class);
  private static final Duration STEP = Duration.ofMillis(20);

  /** How long a look at the repository may take that is under way at the end. */
  private static final Duration LOOK = Duration.ofSeconds(5);

  /** So often is a lease renewed before it runs out. */
  private static final int RENEWALS = 5;

  private final Owners owners;
  private final OwnedJobOperator operator;
  private final JobRepository repository;
  private final JobsProperties.Recover recover;
  private final History history;
  private final Duration limit;
  private volatile boolean running;
  private volatile CountDownLatch stopped = new CountDownLatch(1);
  private final Loop leases = new Loop("leases", this::renew);
  private final Loop others = new Loop("executions of other processes", this::care);

  /** Executions of which that is told already. */
  private final Set<Long> unreadable = ConcurrentHashMap.newKeySet();

  /**
   * @param limit how long jobs may take to stop
   */
  JobsLifecycle(
      Owners owners,
      OwnedJobOperator operator,
      JobRepository repository,
      JobsProperties.Recover recover,
      History history,
      Duration limit) {
    this.owners = owners;
    this.operator = operator;
    this.repository = repository;
    this.recover = recover;
    this.history = history;
    this.limit = limit;
  }

  @Override
  public void start() {
    CountDownLatch end = new CountDownLatch(1);
    stopped = end;
    operator.open();
    if (!owners.isShared()) {
      others.look(); // they are all dead: who starts a job at the start finds it recovered
    }
    leases.start(end);
    others.start(end);
    running = true;
  }

  private void renew() {
    owners.renewIfBound();
    operator.letGo();
    operator.heed();
  }

  private void care() {
    if (recover != JobsProperties.Recover.NONE) {
      owners.running().forEach(this::recoverIfDead);
    }
    history.forget();
  }

  /** Does something again and again. A database that is away is told once, and asked again. */
  private final class Loop {

    private final String what;
    private final Runnable look;
    private volatile @Nullable Thread thread;
    private boolean away;
    private boolean failed;

    Loop(String what, Runnable look) {
      this.what = what;
      this.look = look;
    }

    /**
     * It is never interrupted: an embedded database would close the file that it reads. On a
     * platform thread: bodies that compute may keep every virtual one from running.
     */
    void start(CountDownLatch end) {
      thread = Thread.ofPlatform().daemon().name("forebay-jobs").start(() -> live(end));
    }

    private void live(CountDownLatch end) {
      Duration pause = owners.lease().dividedBy(RENEWALS);
      try {
        do {
          look();
        } while (!end.await(pause.toMillis(), TimeUnit.MILLISECONDS));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    void look() {
      try {
        look.run();
        if (away) {
          log.info("the repository of jobs answers again ({})", what);
        }
        away = false;
        failed = false;
      } catch (RuntimeException e) {
        if (!away) {
          log.warn(
              "the repository of jobs does not answer ({}, {}); it is asked again every {}",
              what,
              e.getClass().getName(),
              owners.lease().dividedBy(RENEWALS));
        }
        away = true;
      } catch (Error e) {
        // Not the end of it: others would take over what runs here when the lease runs out.
        if (!failed) {
          failed = true;
          log.error(
              "jobs are not looked after ({}); it is tried again every {}",
              what,
              owners.lease().dividedBy(RENEWALS),
              e);
        }
      }
    }

    void join() throws InterruptedException {
      Thread loop = thread;
      if (loop != null) {
        loop.join(LOOK);
      }
    }
  }

  private void recoverIfDead(long id) {
    try {
      recoverDead(id);
    } catch (DataAccessException | TransactionException e) {
      throw e;
    } catch (RuntimeException e) {
      if (unreadable.add(id)) {
        log.error("execution {} cannot be recovered", id, e);
      }
    }
  }

  private void recoverDead(long id) {
    if (owners.owner(id).alive()) {
      return;
    }
    JobExecution dead = repository.getJobExecution(id);
    if (dead == null) {
      return;
    }
    try {
      JobExecution recovered = operator.recover(dead);
      if (recover == JobsProperties.Recover.RESTART) {
        restart(recovered, dead.getStatus());
      }
    } catch (JobRefused _) {
      // another process was quicker
    }
  }

  private void restart(JobExecution recovered, BatchStatus before) {
    if (!operator.knows(recovered)) {
      return;
    }
    if (before == BatchStatus.STOPPING) {
      log.info(
          "execution {} was asked to stop before its process died; it is not restarted by itself",
          recovered.getId());
      return;
    }
    try {
      operator.restart(recovered);
    } catch (JobRestartException e) {
      log.warn(
          "execution {} was recovered and cannot be restarted by itself", recovered.getId(), e);
    }
  }

  @Override
  public void stop() {
    try {
      stopJobs();
      stopped.countDown();
      leases.join();
      others.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } finally {
      stopped.countDown();
      running = false;
      leave();
    }
  }

  private void stopJobs() throws InterruptedException {
    long begun = System.nanoTime();
    operator.close();
    for (long id : operator.running()) {
      try {
        operator.stop(id);
      } catch (RuntimeException e) {
        log.warn("execution {} was not asked to stop ({})", id, e.getClass().getName());
        operator.interrupt(id);
      }
    }
    while (!operator.running().isEmpty() && System.nanoTime() - begun < limit.toNanos()) {
      Thread.sleep(STEP);
    }
  }

  private void leave() {
    Collection<Long> left = List.copyOf(operator.running());
    if (!left.isEmpty()) {
      log.warn(
          "executions {} did not stop in time (limit={}); they are recovered when the lease ran out",
          left,
          limit);
      return;
    }
    try {
      operator.letGo();
      owners.leave();
    } catch (RuntimeException e) {
      log.warn("the lease was not given back ({}); it runs out", e.getClass().getName());
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  /** Last to start and first to stop. */
  @Override
  public int getPhase() {
    return Integer.MAX_VALUE;
  }
}
