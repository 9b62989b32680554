/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The leases of processes: one row for each process that ever had an execution. A process whose
 * lease has expired by the clock of the database is treated as dead. If it is alive after all,
 * {@link Owners} rolls back what it writes. Thread-safe.
 */
final class Leases {

  private final JdbcClient client;
  private final TransactionTemplate alone;
  private final String runner;
  private final Duration lease;
  private final boolean shared;
  private volatile boolean entered;

  /** As {@link Owners#Owners}. */
  Leases(
      JdbcClient client, TransactionTemplate alone, String runner, Duration lease, boolean shared) {
    this.client = client;
    this.alone = alone;
    this.runner = runner;
    this.lease = lease;
    this.shared = shared;
  }

  /** How long a process that does not renew counts as alive. */
  Duration lease() {
    return lease;
  }

  /** Whether other processes may use the database. */
  boolean isShared() {
    return shared;
  }

  /**
   * Inserts the row of this process before its first execution. This is a separate transaction:
   * otherwise two concurrent transactions would both find no row and insert the same one.
   */
  synchronized void enter() {
    if (!entered) {
      alone.executeWithoutResult(_ -> renew());
      entered = true;
    }
  }

  /** Renews the lease of this process if it ever had an execution. */
  void renewIfEntered() {
    if (entered) {
      alone.executeWithoutResult(_ -> renew());
    }
  }

  private void renew() {
    int renewed =
        client
            .sql(
                "update forebay.job_runner set renewed_at = current_timestamp, lease_millis = ?"
                    + " where id = ?")
            .params(lease.toMillis(), runner)
            .update();
    if (renewed == 0) {
      client
          .sql(
              "insert into forebay.job_runner (id, renewed_at, lease_millis)"
                  + " values (?, current_timestamp, ?)")
          .params(runner, lease.toMillis())
          .update();
    }
  }

  /** Deletes the row of this process at shutdown, so that nobody waits for its lease to expire. */
  void leave() {
    if (entered) {
      client.sql("delete from forebay.job_runner where id = ?").param(runner).update();
    }
  }

  /**
   * Deletes the rows of processes that have been dead for a day. A process without a row counts as
   * dead too.
   */
  void forgetDead() {
    client
        .sql(
            "delete from forebay.job_runner where id <> ?"
                + " and renewed_at < current_timestamp - interval '1' day")
        .param(runner)
        .update();
  }

  /** Whether another process may be alive. */
  boolean isAlive(String other) {
    return shared
        && client
            .sql(
                "select renewed_at, current_timestamp, lease_millis from forebay.job_runner where id = ?")
            .param(other)
            .query((found, _) -> isValid(found))
            .optional()
            .orElse(false);
  }

  private static boolean isValid(ResultSet found) throws SQLException {
    OffsetDateTime renewed = found.getObject(1, OffsetDateTime.class);
    OffsetDateTime now = found.getObject(2, OffsetDateTime.class);
    return Duration.between(renewed, now).toMillis() <= found.getLong(3);
  }
}
