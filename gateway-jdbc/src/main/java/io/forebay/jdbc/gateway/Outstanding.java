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

/** The futures that wait for results, by the receipts of their statements. Thread-safe. */
final class Outstanding {

  private final Map<Receipt, Answer<?>> answers = new ConcurrentHashMap<>();
  private final MissedResults missed;

  /** For each partition, the last position whose future was added. */
  private final AtomicLongArray handedOver;

  Outstanding(MessageQueue out) {
    missed = new MissedResults(out.name(), out.partitions(), answers);
    handedOver = new AtomicLongArray(out.partitions());
    for (int partition = 0; partition < out.partitions(); partition++) {
      handedOver.set(partition, -1);
    }
  }

  MissedResults missed() {
    return missed;
  }

  /** Adds a future that waits for its result. */
  void place(Receipt receipt, Answer<?> answer) {
    answer.pending().accepted(receipt);
    answers.put(receipt, answer);
    missed.failIfMissed(receipt);
  }

  /** All futures up to this position were added. */
  void handedOver(int partition, long position) {
    handedOver.set(partition, position);
  }

  boolean isHandedOver(Receipt receipt) {
    return receipt.position() <= handedOver.get(receipt.partition());
  }

  @Nullable Answer<?> remove(Receipt receipt) {
    return answers.remove(receipt);
  }

  void failAll(RuntimeException reason) {
    answers.values().forEach(answer -> answer.pending().completeExceptionally(reason));
    answers.clear();
  }

  int size() {
    return answers.size();
  }
}
