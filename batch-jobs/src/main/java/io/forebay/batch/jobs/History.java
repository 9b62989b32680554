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
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.batch.core.job.JobInstance;
import org.springframework.batch.core.repository.JobRepository;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Forgets job instances that ended long ago, with all of their executions. What is forgotten could
 * be started again with the same parameters. For one thread.
 */
final class History {

  private static final Logger log = LoggerFactory.getLogger(History.class);
  private static final Duration PAUSE = Duration.ofHours(1);

  /** So many in one look; the rest an hour later. */
  private static final int AT_ONCE = 500;

  private final JdbcClient client;
  private final JobRepository repository;
  private final Owners owners;
  private final Duration keep;
  private final InstantSource clock;
  private Instant next = Instant.MIN;

  /**
   * @param keep how long after its last execution has ended; zero for ever
   */
  History(
      JdbcClient client,
      JobRepository repository,
      Owners owners,
      Duration keep,
      InstantSource clock) {
    this.client = client;
    this.repository = repository;
    this.owners = owners;
    this.keep = keep;
    this.clock = clock;
  }

  /** Does so once in an hour. */
  void forget() {
    Instant now = clock.instant();
    if (now.isBefore(next)) {
      return;
    }
    next = now.plus(PAUSE);
    owners.forget();
    if (keep.isZero()) {
      return;
    }
    int forgotten = 0;
    for (long id : old(now.minus(keep))) {
      JobInstance instance = repository.getJobInstance(id);
      if (instance != null) { // another process may have been quicker
        repository.deleteJobInstance(instance);
        forgotten++;
      }
    }
    if (forgotten > 0) {
      log.info(
          "{} job instances are forgotten, which ended before forebay.jobs.keep={}",
          forgotten,
          keep);
    }
  }

  /** Instances that have executions, all of which ended before that. */
  private List<Long> old(Instant before) {
    return client
        .sql(
            "select e.job_instance_id from forebay.batch_job_execution e group by e.job_instance_id"
                + " having max(e.end_time) < ? and count(*) = count(e.end_time)"
                + " and count(case when e.status in ('COMPLETED', 'FAILED', 'STOPPED', 'ABANDONED')"
                + " then 1 end) = count(*)"
                + " order by e.job_instance_id fetch first "
                + AT_ONCE
                + " rows only")
        .param(LocalDateTime.ofInstant(before, ZoneId.systemDefault()))
        .query((row, _) -> row.getLong(1))
        .list();
  }
}
