/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.batch.core.job.JobInstance;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Deletes job instances that ended long ago, with all their executions. A deleted instance could be
 * started again with the same parameters. For one thread.
 */
final class History {

  private static final Logger log = LoggerFactory.getLogger(History.class);
  private static final Duration PAUSE = Duration.ofHours(1);

  /** The maximum per run, so that other work is not delayed. */
  private static final int AT_ONCE = 20;

  /** Selects instances whose executions all ended before a time. */
  private static final String OLD =
      "select e.job_instance_id from forebay.batch_job_execution e %s group by e.job_instance_id"
          + " having max(e.end_time) < ? and count(*) = count(e.end_time)"
          + " and count(case when e.status in ('COMPLETED', 'FAILED', 'STOPPED', 'ABANDONED')"
          + " then 1 end) = count(*)";

  private final JdbcClient client;
  private final TransactionTemplate transaction;
  private final JobRepository repository;
  private final Duration keep;
  private final InstantSource clock;
  private final Set<Long> unreadable = new HashSet<>();
  private Instant next = Instant.MIN;

  /**
   * @param keep how long an instance is kept after its last execution ended; zero: for ever
   */
  History(
      JdbcClient client,
      PlatformTransactionManager transactions,
      JobRepository repository,
      Duration keep,
      InstantSource clock) {
    this.client = client;
    this.transaction = new TransactionTemplate(transactions);
    this.repository = repository;
    this.keep = keep;
    this.clock = clock;
  }

  /** Deletes old instances once an hour, or again at once if more are left. */
  void forget() {
    Instant now = clock.instant();
    if (now.isBefore(next)) {
      return;
    }
    List<Long> old = keep.isZero() ? List.of() : old(now.minus(keep));
    old.forEach(id -> forget(id, now.minus(keep)));
    if (old.size() < AT_ONCE) {
      next = now.plus(PAUSE);
    }
  }

  /** Deletes one instance. Locks it as a start does, so that nobody restarts it meanwhile. */
  private void forget(long id, Instant before) {
    try {
      transaction.executeWithoutResult(_ -> {
        client
            .sql(
                "update forebay.batch_job_instance set version = version where job_instance_id = ?")
            .param(id)
            .update();
        JobInstance instance = repository.getJobInstance(id);
        if (instance != null && isOld(id, before)) {
          repository.deleteJobInstance(instance);
          log.info(
              "job {}: deleted instance {} (forebay.jobs.keep={})",
              instance.getJobName(),
              id,
              keep);
        }
      });
    } catch (OptimisticLockingFailureException _) {
      // another process deleted it
    } catch (DataAccessException | TransactionException e) {
      throw e;
    } catch (RuntimeException e) {
      unreadable.add(id);
      log.error("job instance {} cannot be deleted", id, e);
    }
  }

  private boolean isOld(long id, Instant before) {
    return !client
        .sql(OLD.formatted("where e.job_instance_id = ?"))
        .params(id, time(before))
        .query((row, _) -> row.getLong(1))
        .list()
        .isEmpty();
  }

  private List<Long> old(Instant before) {
    return client
        .sql(
            OLD.formatted("")
                + " order by 1 fetch first "
                + (AT_ONCE + unreadable.size())
                + " rows only")
        .param(time(before))
        .query((row, _) -> row.getLong(1))
        .list()
        .stream()
        .filter(id -> !unreadable.contains(id))
        .limit(AT_ONCE)
        .toList();
  }

  private static LocalDateTime time(Instant instant) {
    return LocalDateTime.ofInstant(instant, ZoneId.systemDefault());
  }
}
