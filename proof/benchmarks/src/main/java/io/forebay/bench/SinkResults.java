/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.call.Protocol;
import io.forebay.call.Reader;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import io.forebay.kafka.KafkaBackend;
import io.forebay.queue.MessageQueue;
import java.util.concurrent.locks.LockSupport;

/** Counts the results in the out-queue of a gateway whose statements each insert one row. */
final class SinkResults implements JDBCResult {

  private static final long PATIENCE_NANOS = 30_000_000_000L;
  private static final long LATE_NANOS = 300_000_000;

  private final KafkaBackend.Options options;
  private long rows;
  private long others;

  SinkResults(KafkaBackend.Options options) {
    this.options = options;
  }

  /**
   * @param expected the number of results
   * @throws IllegalStateException if they do not arrive in time, or if there are others
   */
  void mustBe(long expected) {
    long progress = System.nanoTime();
    try (KafkaBackend backend = KafkaBackend.open(options);
        MessageQueue queue = backend.open(SinkService.NAME + ".out", 1);
        Reader<JDBCResult> reader = Protocol.of(JDBCResult.class).reader(queue, this)) {
      long patience = expected == 0 ? LATE_NANOS : PATIENCE_NANOS;
      while (System.nanoTime() - progress < patience) {
        if (reader.poll(10_000) > 0) {
          progress = System.nanoTime();
        } else {
          LockSupport.parkNanos(1_000_000);
        }
        patience = rows < expected ? PATIENCE_NANOS : LATE_NANOS;
      }
    }
    if (rows != expected || others != 0) {
      throw new IllegalStateException(
          "there are results of %,d rows and %,d others (expected: %,d and none)"
              .formatted(rows, others, expected));
    }
  }

  @Override
  public void updateResult(long count) {
    rows += count;
  }

  @Override
  public void updateThrown(SqlFailure failure) {
    others++;
  }

  @Override
  public void queryResult(Rows rows) {
    others++;
  }

  @Override
  public void queryThrown(SqlFailure failure) {
    others++;
  }
}
