/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import io.forebay.queue.PartitionListener;
import io.forebay.queue.Subscription;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The only member of a consumer of a memory queue. It owns every partition until it leaves. */
final class MemorySubscription implements Subscription {

  private static final Logger log = LoggerFactory.getLogger(MemorySubscription.class);

  private final MemoryQueue queue;
  private final String consumer;
  private final PartitionListener listener;
  private int assigned;
  private volatile boolean left;

  MemorySubscription(MemoryQueue queue, String consumer, PartitionListener listener) {
    this.queue = queue;
    this.consumer = consumer;
    this.listener = listener;
  }

  /**
   * Registers for retention in every partition first, so that assigned messages are still there.
   */
  synchronized void start() {
    if (left) {
      throw new IllegalStateException(
          "queue %s was closed; consumer %s is not subscribed".formatted(queue.name(), consumer));
    }
    for (int i = 0; i < queue.partitions(); i++) {
      queue.partition(i).register(consumer);
    }
    boolean started = false;
    try {
      while (assigned < queue.partitions()) {
        listener.assigned(assigned);
        assigned++;
      }
      started = true;
    } finally {
      if (!started) {
        close();
      }
    }
  }

  @Override
  public String consumer() {
    return consumer;
  }

  @Override
  public void passed(int partition, long position) {
    MemoryPartition there = queue.partition(partition);
    if (left) {
      throw new IllegalStateException(
          "consumer %s has left queue %s; subscribe again before you report a position"
              .formatted(consumer, queue.name()));
    }
    there.passed(consumer, position);
  }

  @Override
  public synchronized void close() {
    while (assigned > 0) {
      assigned--;
      revoke(assigned);
    }
    left = true;
    queue.left(this);
  }

  /**
   * Revokes a partition; if the listener throws, the other partitions and the queue are still
   * closed.
   */
  private void revoke(int partition) {
    try {
      listener.revoked(partition);
    } catch (RuntimeException e) {
      log.error(
          "consumer {} failed while partition {} of queue {} was revoked; the partition is revoked anyway",
          consumer,
          partition,
          queue.name(),
          e);
    }
  }
}
