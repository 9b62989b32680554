/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import io.forebay.machine.Machine;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.stored.StoredQueue;
import io.forebay.queue.stored.StoredQueues;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Queues in the heap of this process: bounded, partitioned, lost when the process ends. For tests,
 * for bursts that may be lost, and as the simplest example of a backend.
 *
 * <p>A full partition refuses messages. Messages are freed once every registered consumer has
 * passed them; without a registered consumer they are never freed. A queue opened with a retention
 * time instead evicts, when it is full, the oldest messages that no registered consumer needs.
 * Closing a queue deletes it: the next queue of that name is empty and has a new identity.
 */
public final class MemoryBackend implements QueueBackend {

  private static final int PARTITIONS_PER_HEAP = 32;
  private static final long LEAST_LIMIT = 2L << 20;
  private static final long USUAL_LIMIT = 64L << 20;

  private final long limit;
  private final InstantSource clock;
  private final Map<String, MemoryQueue> queues = new TreeMap<>();
  private boolean closed;

  private MemoryBackend(long limit, InstantSource clock) {
    if (limit < LEAST_LIMIT) {
      throw new IllegalArgumentException(
          "a partition in memory cannot have a limit of %,d bytes (allowed: %,d and more)"
              .formatted(limit, LEAST_LIMIT));
    }
    this.limit = limit;
    this.clock = clock;
  }

  /** With a limit of 1/32 of the heap per partition, from 2 to 64 MiB. */
  public static MemoryBackend open() {
    long share = Runtime.getRuntime().maxMemory() / PARTITIONS_PER_HEAP;
    return open(Math.clamp(share, LEAST_LIMIT, USUAL_LIMIT), Machine.wall());
  }

  /**
   * @param limit the bytes of the messages of a partition, and 96 more for each; at least 2 MiB
   * @param clock dates refusals; it may be set back
   */
  public static MemoryBackend open(long limit, InstantSource clock) {
    return new MemoryBackend(limit, clock);
  }

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public synchronized MessageQueue open(String name, int partitions, Duration kept) {
    if (partitions < 1) {
      throw new IllegalArgumentException(
          "queue %s needs at least one partition (partitions=%d)".formatted(name, partitions));
    }
    if (closed) {
      throw new IllegalStateException(
          "the memory backend is closed; queue %s is not opened".formatted(name));
    }
    if (queues.containsKey(name)) {
      throw new IllegalStateException(
          "queue %s is already open in this process; each service needs a name of its own"
              .formatted(name));
    }
    MemoryQueue queue = new MemoryQueue(this, name, partitions, kept.isPositive());
    queues.put(name, queue);
    return queue;
  }

  MemoryPartition partition(MemoryQueue queue, int number, boolean evicts) {
    return new MemoryPartition(queue, number, evicts, limit, clock);
  }

  /** Its open queues, for reading from outside. */
  public StoredQueues stored() {
    return StoredQueues.of("the memory of this process", this::all);
  }

  private synchronized List<StoredQueue> all() {
    return List.copyOf(queues.values());
  }

  synchronized void remove(MemoryQueue queue) {
    queues.remove(queue.name(), queue);
  }

  @Override
  public void close() {
    List<MemoryQueue> open;
    synchronized (this) {
      closed = true;
      open = List.copyOf(queues.values());
    }
    open.forEach(MemoryQueue::close);
  }
}
