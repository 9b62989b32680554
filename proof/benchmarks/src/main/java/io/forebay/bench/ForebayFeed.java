/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.kafka.KafkaBackend;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueRefused;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/** Sends rows as statements to the in-queue of a gateway. */
final class ForebayFeed implements SinkFeed {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long FULL_NANOS = 1_000_000;

  private final String sql;
  private final KafkaBackend backend;
  private final MessageQueue queue;
  private final Writer<JDBCStatement> writer;
  private final JDBCStatement calls;

  ForebayFeed(KafkaBackend.Options options, String sql) {
    this.sql = sql;
    backend = KafkaBackend.open(options);
    queue = backend.open(SinkService.NAME + ".in", 1);
    writer = Protocol.of(JDBCStatement.class).writer(queue);
    calls = writer.calls();
  }

  @Override
  public void send(long number) {
    long start = System.nanoTime();
    while (true) {
      try {
        calls.executeUpdate(
            sql, number, Burst.customer(number), SinkTable.amount(number), SinkTable.nowMicros());
        return;
      } catch (QueueRefused e) {
        if (System.nanoTime() - start > PATIENCE.toNanos()) {
          throw e;
        }
        LockSupport.parkNanos(FULL_NANOS);
      }
    }
  }

  @Override
  public void flush() {
    try {
      writer.await(PATIENCE);
    } catch (TimeoutException e) {
      throw new IllegalStateException("the broker does not acknowledge", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    writer.close();
    queue.close();
    backend.close();
  }
}
