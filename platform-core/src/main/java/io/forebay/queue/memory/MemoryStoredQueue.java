/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import io.forebay.queue.QueueStats;
import io.forebay.queue.Tailer;
import io.forebay.queue.stored.StoredQueue;

/** An open queue, for reading only. */
record MemoryStoredQueue(MemoryQueue queue) implements StoredQueue {

  @Override
  public String name() {
    return queue.name();
  }

  @Override
  public int partitions() {
    return queue.partitions();
  }

  @Override
  public QueueStats stats(int partition) {
    return queue.stats(partition);
  }

  @Override
  public Tailer tailer(int partition) {
    return queue.tailer(partition);
  }
}
