/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.Contender.Performing;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.threads.LongPauser;
import net.openhft.chronicle.threads.Pauser;
import net.openhft.chronicle.wire.DocumentContext;
import org.jspecify.annotations.Nullable;

/**
 * A hand-written solution for exactly this work: raw messages with only the columns, a JDBC batch
 * with a compare-and-set of the progress in the same commit, a result of 16 bytes. It supports no
 * other statement, detects no damage, and isolates no failure.
 */
final class BareLoop extends BareQueues {

  private static final String THREAD = "bare-loop";
  private static final int BATCH = 1_000;

  private final ExcerptAppender appender = in.createAppender();
  private final Thread thread = new Thread(this::run, THREAD);
  private volatile boolean held;
  private volatile boolean closed;
  private volatile @Nullable Throwable failure;
  private @Nullable ExcerptTailer results;

  BareLoop(Path folder, TargetTables tables) throws SQLException {
    super(folder, tables, 0);
    tables
        .database()
        .execute(
            "create table progress (service varchar(40) primary key, next_position bigint not"
                + " null)",
            "insert into progress values ('bare', 0)");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public String performingThread() {
    return THREAD;
  }

  @Override
  public void write(Burst burst) {
    for (long number = burst.from(); number < burst.to(); number++) {
      try (DocumentContext context = appender.writingDocument()) {
        Bytes<?> bytes = context.wire().bytes();
        bytes.writeLong(number);
        bytes.writeDouble(burst.amount(number));
        bytes.write8bit(Burst.customer(number));
      }
    }
  }

  @Override
  public void hold(boolean held) {
    this.held = held;
  }

  /** Reads available messages, performs them, commits, and answers. */
  private void run() {
    try (ExcerptTailer tailer = in.createTailer();
        ExcerptAppender answers = out.createAppender();
        Connection connection = tables.database().connect()) {
      connection.setAutoCommit(false);
      try (PreparedStatement progress =
              connection.prepareStatement(
                  "update progress set next_position = ? where service = ? and next_position = ?");
          PreparedStatement orders = connection.prepareStatement(Burst.INSERT)) {
        Pauser pauser = new LongPauser(50, 200, 1, 10, TimeUnit.MILLISECONDS);
        long position = 0;
        while (!closed) {
          int taken = held ? 0 : take(tailer, orders);
          if (taken == 0) {
            pauser.pause();
            continue;
          }
          pauser.reset();
          move(progress, position, taken);
          int[] counts = orders.executeBatch();
          connection.commit();
          answer(answers, position, counts);
          position += taken;
        }
      }
    } catch (Throwable e) {
      failure = e;
    }
  }

  /** Decodes up to a batch of messages into the statement. */
  private static int take(ExcerptTailer tailer, PreparedStatement orders) throws SQLException {
    for (int taken = 0; taken < BATCH; taken++) {
      try (DocumentContext context = tailer.readingDocument()) {
        if (!context.isPresent()) {
          return taken;
        }
        Bytes<?> bytes = context.wire().bytes();
        orders.setLong(1, bytes.readLong());
        orders.setDouble(3, bytes.readDouble());
        orders.setString(2, bytes.read8bit());
        orders.addBatch();
      }
    }
    return BATCH;
  }

  private static void move(PreparedStatement progress, long position, int taken)
      throws SQLException {
    progress.setLong(1, position + taken);
    progress.setString(2, "bare");
    progress.setLong(3, position);
    if (progress.executeUpdate() != 1) {
      throw new SQLException("another process moved the progress from " + position);
    }
  }

  private static void answer(ExcerptAppender appender, long position, int[] counts) {
    for (int i = 0; i < counts.length; i++) {
      try (DocumentContext context = appender.writingDocument()) {
        context.wire().bytes().writeLong(position + i).writeLong(counts[i]);
      }
    }
  }

  @Override
  public int pollResults(Tally tally) {
    if (results == null) {
      results = out.createTailer();
    }
    for (int read = 0; read < MOST_RESULTS_PER_POLL; read++) {
      try (DocumentContext context = results.readingDocument()) {
        if (!context.isPresent()) {
          Performing.refuseAfter(failure);
          return read;
        }
        Bytes<?> bytes = context.wire().bytes();
        bytes.readLong(); // the position of the statement
        tally.updated(bytes.readLong());
      }
    }
    return MOST_RESULTS_PER_POLL;
  }

  @Override
  protected void stop() {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
