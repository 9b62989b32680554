/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.machine.Machine;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueUnavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The progress of partitions that other instances perform. A background thread, started by the
 * first call, reads the rows once a second, so callers never wait for the database. Thread-safe.
 */
public final class ProgressRows implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(ProgressRows.class);
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration STALE = Duration.ofSeconds(15);

  private final String service;
  private final GatewayDatabase database;
  private final MessageQueue in;
  private final BackgroundTask task;
  private @Nullable Connection connection;
  private volatile @Nullable Rows rows;
  private volatile boolean closed;

  private record Rows(Map<Integer, Ledger.Row> byPartition, long readNanos) {}

  public ProgressRows(String service, GatewayDatabase database, MessageQueue in) {
    this.service = service;
    this.database = database;
    this.in = in;
    task =
        new BackgroundTask(
            "forebay-progress-" + service,
            EVERY,
            new Outage(
                log,
                "Reading the progress of partitions of %s at other instances".formatted(service),
                "it is unknown after " + STALE),
            this::turn);
  }

  /**
   * The next position to perform.
   *
   * @param first where a partition without progress begins
   * @return empty if the last reading is stale or of another queue
   */
  public OptionalLong next(int partition, OptionalLong first) {
    Rows known = rows();
    if (known == null) {
      return OptionalLong.empty();
    }
    Ledger.Row row = known.byPartition.get(partition);
    if (row == null) {
      return first;
    }
    return isOurs(row) ? OptionalLong.of(row.next()) : OptionalLong.empty();
  }

  /** The position before which all results are in the out-queue; 0 if that is not known. */
  public long answered(int partition) {
    Rows known = rows();
    Ledger.Row row = known == null ? null : known.byPartition.get(partition);
    return row != null && isOurs(row) ? row.answered() : 0;
  }

  /** Returns null if the last reading is stale. */
  private @Nullable Rows rows() {
    begin();
    Rows known = rows;
    return known == null || Machine.nanos() - known.readNanos > STALE.toNanos() ? null : known;
  }

  private boolean isOurs(Ledger.Row row) {
    try {
      return row.queueId().equals(in.identity());
    } catch (QueueUnavailable e) {
      return false;
    }
  }

  private synchronized void begin() {
    if (!closed) {
      task.start();
    }
  }

  private void turn() throws SQLException {
    if (closed) {
      task.close(Duration.ZERO);
      disconnect();
      return;
    }
    boolean read = false;
    try {
      Connection open = connection == null ? connect() : connection;
      connection = open;
      rows = new Rows(Ledger.rows(open, service), Machine.nanos());
      read = true;
    } finally {
      if (!read) {
        disconnect();
      }
    }
  }

  private void disconnect() throws SQLException {
    Connection open = connection;
    connection = null;
    if (open != null) {
      open.close();
    }
  }

  /**
   * An instance without partitions also prepares the database, because it serves results from it.
   */
  private Connection connect() throws SQLException {
    database.prepare();
    return database.connect();
  }

  @Override
  public void close() {
    closed = true;
    task.wake();
  }
}
