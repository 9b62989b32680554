/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The queues on the disk of one host, which outlive its processes. A power failure takes any suffix
 * of what was not forced. Thread-safe, so that it can also pass the contract of queues.
 */
final class Disk {

  private final Map<String, Stored> queues = new ConcurrentHashMap<>();
  private long made;

  /** A queue on the disk. */
  static final class Stored {

    final String name;
    final String identity;
    final List<Partition> partitions = new ArrayList<>();
    volatile boolean open;

    Stored(String name, String identity, int partitions) {
      this.name = name;
      this.identity = identity;
      for (int i = 0; i < partitions; i++) {
        this.partitions.add(new Partition());
      }
    }
  }

  /** A partition on the disk: its messages by position, and what is recorded beside them. */
  static final class Partition {

    /** No message was appended since the last comparison. */
    static final long COMPARED = -1;

    final ReentrantLock lock = new ReentrantLock();
    final NavigableMap<Long, byte[]> messages = new TreeMap<>();
    final Map<String, Long> passed = new HashMap<>();
    long end;
    long forced;
    long uncompared = COMPARED;

    private Partition() {}

    boolean isForced() {
      return forced == end;
    }
  }

  synchronized Stored open(String name, int partitions) {
    Stored stored =
        queues.computeIfAbsent(
            name, _ -> new Stored(name, "disk:" + name + ":" + ++made, partitions));
    if (stored.open) {
      throw new IllegalStateException("queue " + name + " is open");
    }
    if (stored.partitions.size() != partitions) {
      throw new IllegalStateException(
          "queue %s has %d partitions, not %d"
              .formatted(name, stored.partitions.size(), partitions));
    }
    stored.open = true;
    return stored;
  }

  synchronized void delete(String name) {
    Stored stored = queues.get(name);
    if (stored != null && stored.open) {
      throw new IllegalStateException("queue " + name + " is open");
    }
    queues.remove(name);
  }

  /** The processes of the host are dead. */
  void released() {
    queues.values().forEach(it -> it.open = false);
  }

  /** The host has lost its power, and its processes are dead. */
  void loseWhatIsNotForced(SplittableRandom random) {
    queues.values().stream()
        .sorted((a, b) -> a.name.compareTo(b.name))
        .flatMap(it -> it.partitions.stream())
        .forEach(partition -> {
          long lost = partition.end - partition.forced;
          if (lost > 0) {
            partition.end = partition.forced + random.nextLong(lost + 1);
            partition.messages.tailMap(partition.end, true).clear();
          }
        });
  }

  Stored stored(String name) {
    return queues.get(name);
  }
}
