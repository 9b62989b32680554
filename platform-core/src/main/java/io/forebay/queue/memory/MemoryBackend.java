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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

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

  private final Limits limits;
  private final InstantSource clock;
  private final Map<String, MemoryQueue> queues = new HashMap<>();
  private boolean closed;

  private MemoryBackend(Limits limits, InstantSource clock) {
    this.limits = limits;
    this.clock = clock;
  }

  /**
   * The limits of each partition.
   *
   * @param bytes the bytes of messages, and 96 more for each; at least 2 MiB
   * @param messages the number of messages; at least 1
   */
  public record Limits(long bytes, int messages) {

    /** 64 MiB and a million messages. */
    public static final Limits DEFAULT = new Limits(64L << 20, 1_000_000);

    private static final long LEAST_BYTES = 2L << 20;

    public Limits {
      if (bytes < LEAST_BYTES || messages < 1) {
        throw new IllegalArgumentException(
            String.format(
                Locale.ROOT,
                "a memory queue needs room for at least one message (bytes=%,d, at least %,d; messages=%,d, at least 1)",
                bytes,
                LEAST_BYTES,
                messages));
      }
    }
  }

  /** With the default limits and the system clock. */
  public static MemoryBackend open() {
    return open(Limits.DEFAULT, Machine.wall());
  }

  /** The clock dates refusals; it may be set back. */
  public static MemoryBackend open(Limits limits, InstantSource clock) {
    return new MemoryBackend(limits, clock);
  }

  @Override
  public String name() {
    return "memory";
  }

  @Override
  public MessageQueue open(String name, int partitions, Duration kept) {
    if (partitions < 1) {
      throw new IllegalArgumentException(
          "queue %s needs at least one partition (partitions=%d)".formatted(name, partitions));
    }
    synchronized (queues) {
      if (closed) {
        throw new IllegalStateException(
            "the memory backend is closed; queue " + name + " is not opened");
      }
      if (queues.containsKey(name)) {
        throw new IllegalStateException(
            "queue %s is already open in this process; each service needs a name of its own"
                .formatted(name));
      }
      MemoryQueue queue =
          new MemoryQueue(name, partitions, limits, kept.isPositive(), clock, this::remove);
      queues.put(name, queue);
      return queue;
    }
  }

  /** Its open queues, for reading from outside. */
  public StoredQueues stored() {
    return StoredQueues.of(
        "the memory of this process",
        () -> {
          synchronized (queues) {
            return queues.values().stream()
                .map(StoredQueue.class::cast)
                .sorted(Comparator.comparing(StoredQueue::name))
                .toList();
          }
        });
  }

  private void remove(MemoryQueue queue) {
    synchronized (queues) {
      queues.remove(queue.name(), queue);
    }
  }

  @Override
  public void close() {
    List<MemoryQueue> open;
    synchronized (queues) {
      closed = true;
      open = new ArrayList<>(queues.values());
    }
    open.forEach(MemoryQueue::close);
  }
}
