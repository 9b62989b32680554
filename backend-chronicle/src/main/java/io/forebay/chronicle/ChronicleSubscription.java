/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.queue.PartitionListener;
import io.forebay.queue.Subscription;

/** A subscription to a local queue. This single instance owns all partitions. */
final class ChronicleSubscription implements Subscription {

  private final ChronicleMessageQueue queue;
  private final String consumer;
  private final PartitionListener listener;
  private boolean closing;
  private volatile boolean left;

  ChronicleSubscription(ChronicleMessageQueue queue, String consumer, PartitionListener listener) {
    this.queue = queue;
    this.consumer = consumer;
    this.listener = listener;
  }

  synchronized void assignAll() {
    for (int i = 0; i < queue.partitions() && !closing; i++) {
      listener.assigned(i);
    }
  }

  @Override
  public String consumer() {
    return consumer;
  }

  @Override
  public void passed(int partition, long position) {
    if (left) {
      throw new IllegalStateException(
          "consumer %s has left %s; it must subscribe again first".formatted(consumer, queue));
    }
    queue.passed(consumer, partition, position);
  }

  @Override
  public synchronized void close() {
    if (closing) {
      return;
    }
    closing = true;
    try {
      for (int i = 0; i < queue.partitions(); i++) {
        listener.revoked(i);
      }
    } finally {
      left = true;
      queue.left(this);
    }
  }
}
