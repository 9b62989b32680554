/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.jdbc.Receipt;
import io.forebay.queue.MessageQueue;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * The futures that wait for results, by the receipts of their statements. Futures whose results
 * were deleted before the client read them fail: results have the order of their statements, so all
 * before the first one still kept are missed. Thread-safe.
 */
final class Outstanding {

  private final String queue;
  private final Map<Receipt, ExpectedResult<?>> answers = new ConcurrentHashMap<>();

  /** For each partition, the position before which all futures were added. */
  private final AtomicLongArray handedOver;

  /** For each partition, the position below which the client will read no more results. */
  private final AtomicLongArray missedBefore;

  /** The partitions that restart at the first result kept. Only for the reading thread. */
  private final boolean[] overtaken;

  Outstanding(MessageQueue out) {
    queue = out.name();
    handedOver = new AtomicLongArray(out.partitions());
    missedBefore = new AtomicLongArray(out.partitions());
    overtaken = new boolean[out.partitions()];
  }

  /** Adds a future that waits for its result, which may have been missed already. */
  void place(Receipt receipt, ExpectedResult<?> answer) {
    answer.pending().accepted(receipt);
    answers.put(receipt, answer);
    failIfMissed(receipt);
  }

  /** Futures up to this position were added. */
  void handedOver(int partition, long position) {
    handedOver.set(partition, position + 1);
  }

  boolean isHandedOver(Receipt receipt) {
    return receipt.position() < handedOver.get(receipt.partition());
  }

  @Nullable ExpectedResult<?> remove(Receipt receipt) {
    return answers.remove(receipt);
  }

  /** On the thread that reads: results before the next one read were deleted. */
  void overtaken(int partition) {
    overtaken[partition] = true;
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
    missedBefore.set(partition, source);
    answers.keySet().forEach(this::failIfMissed);
  }

  private void failIfMissed(Receipt receipt) {
    long first = missedBefore.get(receipt.partition());
    if (receipt.position() < first) {
      ExpectedResult<?> missed = answers.remove(receipt);
      if (missed != null) {
        missed.pending().completeExceptionally(new ResultMissed(queue, receipt, first));
      }
    }
  }

  void failAll(RuntimeException reason) {
    answers.values().forEach(answer -> answer.pending().completeExceptionally(reason));
    answers.clear();
  }

  int size() {
    return answers.size();
  }
}
