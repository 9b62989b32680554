/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.queue.PartitionListener;
import io.forebay.queue.Subscription;

/** All partitions of a local queue belong to the one instance there is. */
final class ChronicleSubscription implements Subscription {

  private final ChronicleMessageQueue queue;
  private final String consumer;
  private final PartitionListener listener;
  private boolean closed;

  ChronicleSubscription(ChronicleMessageQueue queue, String consumer, PartitionListener listener) {
    this.queue = queue;
    this.consumer = consumer;
    this.listener = listener;
  }

  synchronized void assignAll() {
    for (int i = 0; i < queue.partitions(); i++) {
      listener.assigned(i);
    }
  }

  @Override
  public String consumer() {
    return consumer;
  }

  @Override
  public void passed(int partition, long position) {
    queue.passed(consumer, partition, position);
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    for (int i = 0; i < queue.partitions(); i++) {
      listener.revoked(i);
    }
    queue.left(this);
  }
}
