/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.threads.LongPauser;
import net.openhft.chronicle.threads.Pauser;
import net.openhft.chronicle.wire.DocumentContext;
import org.jspecify.annotations.Nullable;

/** The loop of {@link BareLoop}: read available messages, perform them, commit, answer. */
final class BareLoopService implements AutoCloseable {

  static final String THREAD = "bare-loop";

  private static final int BATCH = 1_000;
  private static final int[] NONE = {};

  private final ChronicleQueue in;
  private final ChronicleQueue out;
  private final TargetTables tables;
  private final Thread thread;
  private final boolean[] payment = new boolean[BATCH];
  private final long[] counts = new long[BATCH];
  private volatile boolean held;
  private volatile boolean closed;
  private volatile @Nullable Throwable failure;

  BareLoopService(ChronicleQueue in, ChronicleQueue out, TargetTables tables) throws SQLException {
    this.in = in;
    this.out = out;
    this.tables = tables;
    tables.create("progress (service varchar(40) primary key, next_position bigint not null)");
    try (Connection connection = tables.connect();
        var statement = connection.createStatement()) {
      statement.execute("insert into progress values ('bare', 0)");
    }
    thread = new Thread(this::run, THREAD);
    thread.setDaemon(true);
    thread.start();
  }

  /** Why no more results will come; null while the service runs. */
  @Nullable Throwable failure() {
    return failure;
  }

  void hold(boolean held) {
    this.held = held;
  }

  private void run() {
    try (ExcerptTailer tailer = in.createTailer();
        ExcerptAppender appender = out.createAppender();
        Connection connection = tables.connect()) {
      connection.setAutoCommit(false);
      try (PreparedStatement progress =
              connection.prepareStatement(
                  "update progress set next_position = ? where service = ? and next_position = ?");
          PreparedStatement orders = connection.prepareStatement(Burst.sql(false));
          PreparedStatement payments = connection.prepareStatement(Burst.sql(true))) {
        Pauser pauser = new LongPauser(50, 200, 1, 10, TimeUnit.MILLISECONDS);
        long position = 0;
        while (!closed) {
          int taken = held ? 0 : take(tailer, orders, payments);
          if (taken == 0) {
            pauser.pause();
            continue;
          }
          pauser.reset();
          perform(progress, position, taken, orders, payments);
          connection.commit();
          answer(appender, position, taken);
          position += taken;
        }
      }
    } catch (Throwable e) {
      failure = e;
    }
  }

  /** Decodes up to a batch of messages into the two statements. */
  private int take(ExcerptTailer tailer, PreparedStatement orders, PreparedStatement payments)
      throws SQLException {
    for (int taken = 0; taken < BATCH; taken++) {
      try (DocumentContext context = tailer.readingDocument()) {
        if (!context.isPresent()) {
          return taken;
        }
        Bytes<?> bytes = context.wire().bytes();
        payment[taken] = bytes.readBoolean();
        PreparedStatement statement = payment[taken] ? payments : orders;
        statement.setLong(1, bytes.readLong());
        statement.setDouble(3, bytes.readDouble());
        statement.setString(2, bytes.read8bit());
        statement.addBatch();
      }
    }
    return BATCH;
  }

  private void perform(
      PreparedStatement progress,
      long position,
      int taken,
      PreparedStatement orders,
      PreparedStatement payments)
      throws SQLException {
    progress.setLong(1, position + taken);
    progress.setString(2, "bare");
    progress.setLong(3, position);
    if (progress.executeUpdate() != 1) {
      throw new SQLException("another process moved the progress from " + position);
    }
    collect(orders, taken, false);
    collect(payments, taken, true);
  }

  private void collect(PreparedStatement statement, int taken, boolean ofPayments)
      throws SQLException {
    int[] results = NONE;
    int next = 0;
    for (int i = 0; i < taken; i++) {
      if (payment[i] == ofPayments) {
        if (next == 0) {
          results = statement.executeBatch();
        }
        counts[i] = results[next++];
      }
    }
  }

  private void answer(ExcerptAppender appender, long position, int taken) {
    for (int i = 0; i < taken; i++) {
      try (DocumentContext context = appender.writingDocument()) {
        context.wire().bytes().writeLong(position + i).writeLong(counts[i]);
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
