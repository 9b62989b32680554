/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.jdbc.Receipt;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.Tailer;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLongArray;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Fails the futures whose results were deleted before the client read them. Results have the order
 * of their statements, so all before the first one still kept are missed.
 */
final class MissedResults {

  private static final Logger log = LoggerFactory.getLogger(MissedResults.class);

  private static final Duration TELL_AGAIN = Duration.ofMinutes(1);

  private final String queue;
  private final Map<Receipt, Answer<?>> outstanding;

  /** For each partition, the position below which the client will read no more results. */
  private final AtomicLongArray before;

  /** The partitions that restart at the first result kept. Only for the reading thread. */
  private final boolean[] overtaken;

  private long toldNanos;

  MissedResults(String queue, int partitions, Map<Receipt, Answer<?>> outstanding) {
    this.queue = queue;
    this.outstanding = outstanding;
    before = new AtomicLongArray(partitions);
    overtaken = new boolean[partitions];
  }

  /** On the thread that reads. */
  void overtaken(Tailer tailer, PositionOutOfRange reason) {
    long now = System.nanoTime();
    if (toldNanos == 0 || now - toldNanos > TELL_AGAIN.toNanos()) {
      log.warn(
          "results of {} were deleted before they were read ({}); their futures fail, and reading continues at"
              + " the first result kept",
          queue,
          reason.getMessage());
      toldNanos = now;
    }
    overtaken[tailer.partition()] = true;
  }

  /**
   * On the thread that reads.
   *
   * @param source the position of the statement whose result was just read
   */
  void read(int partition, long source) {
    if (!overtaken[partition] || source < 0) {
      return;
    }
    overtaken[partition] = false;
    before.set(partition, source);
    for (Receipt receipt : outstanding.keySet()) {
      failIfMissed(receipt);
    }
  }

  /** Call after adding a future: its result may have been missed already. */
  void failIfMissed(Receipt receipt) {
    long first = before.get(receipt.partition());
    if (receipt.position() < first) {
      Answer<?> missed = outstanding.remove(receipt);
      if (missed != null) {
        missed.pending().completeExceptionally(new ResultMissed(queue, receipt, first));
      }
    }
  }
}
