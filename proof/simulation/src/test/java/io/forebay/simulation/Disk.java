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
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The queues on the disk of one host, which outlive its processes. A power failure takes any suffix
 * of what was not forced, and messages may become unreadable. Thread-safe, so that it can also pass
 * the contract of queues.
 */
final class Disk implements StoredMessages {

  private final Map<String, Stored> queues = new ConcurrentHashMap<>();
  private final List<Stored> former = new ArrayList<>();
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

    private Stored copy() {
      Stored copy = new Stored(name, identity, 0);
      partitions.forEach(it -> copy.partitions.add(it.copy()));
      return copy;
    }

    /** Where the partitions end. */
    List<Long> ends() {
      return partitions.stream().map(it -> it.end).toList();
    }

    /** Whether no message was appended that was not compared with the progress. */
    boolean isCompared() {
      return partitions.stream().allMatch(it -> it.uncompared == Partition.COMPARED);
    }
  }

  /** A partition on the disk: its messages by position, and what is recorded beside them. */
  static final class Partition {

    /** No message was appended since the last comparison. */
    static final long COMPARED = -1;

    final ReentrantLock lock = new ReentrantLock();
    final NavigableMap<Long, byte[]> messages = new TreeMap<>();
    final Map<String, Long> passed = new HashMap<>();

    /** Messages that cannot be read any more. */
    final NavigableMap<Long, byte[]> damaged = new TreeMap<>();

    /** Damaged messages that were set aside. */
    final NavigableMap<Long, byte[]> setAside = new TreeMap<>();

    /** What is before this position is not read again when the partition is opened. */
    long mark;

    /** The next opening sets the damage aside. */
    boolean setAsideNext;

    /** The messages from the first position to before the other one are lost and were performed. */
    long lostFrom;

    long lostBefore;

    long end;
    long forced;
    long uncompared = COMPARED;

    /** Another queue may replace it. */
    boolean drained;

    private Partition() {}

    private Partition copy() {
      Partition copy = new Partition();
      copy.messages.putAll(messages);
      copy.passed.putAll(passed);
      copy.damaged.putAll(damaged);
      copy.setAside.putAll(setAside);
      copy.mark = mark;
      copy.setAsideNext = setAsideNext;
      copy.end = end;
      copy.forced = forced;
      copy.uncompared = uncompared;
      copy.drained = drained;
      return copy;
    }

    /** Makes a message unreadable, if there is one. */
    void damage(long position) {
      byte[] message = messages.remove(position);
      if (message != null) {
        damaged.put(position, message);
      }
    }

    /** Moves what was appended in the place of lost messages behind them. */
    void moveBehindLost() {
      NavigableMap<Long, byte[]> others = new TreeMap<>(messages.tailMap(lostFrom, true));
      setAside.putAll(others);
      messages.tailMap(lostFrom, true).clear();
      others.forEach(
          (position, message) -> messages.put(position - lostFrom + lostBefore, message));
      end = end - lostFrom + lostBefore;
      mark = Math.min(mark, lostFrom);
      uncompared = COMPARED;
      lostBefore = 0;
    }

    /** The position of the next message at or behind this one, readable or not, or the end. */
    long overGap(long from) {
      Long readable = messages.ceilingKey(from);
      Long unreadable = damaged.ceilingKey(from);
      long none = Math.max(from, end);
      return Math.min(readable == null ? none : readable, unreadable == null ? none : unreadable);
    }

    private List<Map.Entry<Long, byte[]>> unreadable() {
      List<Map.Entry<Long, byte[]>> all = new ArrayList<>(damaged.entrySet());
      all.addAll(setAside.entrySet());
      return all;
    }

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

  /** The processes of the host are dead. */
  void released() {
    queues.values().forEach(it -> it.open = false);
  }

  /** A copy of the files of all queues. */
  List<Stored> copy() {
    return queues.values().stream()
        .sorted((a, b) -> a.name.compareTo(b.name))
        .map(Stored::copy)
        .toList();
  }

  /** Replaces the files of a queue by those of a copy. */
  void restore(Stored copy) {
    moveAway(copy.name);
    queues.put(copy.name, copy.copy());
  }

  /** Exchanges a partition with that of the files that were moved away last. */
  void takeBack(String name, int partition) {
    Stored last = former.stream().filter(it -> it.name.equals(name)).toList().getLast();
    List<Partition> now = Objects.requireNonNull(queues.get(name)).partitions;
    last.partitions.set(partition, now.set(partition, last.partitions.get(partition)));
  }

  /** Moves the files of a queue to another directory. */
  void moveAway(String name) {
    Stored moved = queues.remove(name);
    if (moved != null) {
      former.add(moved);
    }
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
            partition.damaged.tailMap(partition.end, true).clear();
          }
        });
  }

  @Nullable Stored stored(String name) {
    return queues.get(name);
  }

  @Override
  public String backend() {
    return "disk";
  }

  @Override
  public NavigableMap<Long, byte[]> messages(String queue, int partition) {
    Stored stored = queues.get(queue);
    return stored == null ? new TreeMap<>() : stored.partitions.get(partition).messages;
  }

  @Override
  public List<Map.Entry<Long, byte[]>> gone(String queue, int partition) {
    List<Map.Entry<Long, byte[]>> gone = new ArrayList<>();
    for (Stored stored : former) {
      if (stored.name.equals(queue)) {
        gone.addAll(stored.partitions.get(partition).messages.entrySet());
        gone.addAll(stored.partitions.get(partition).unreadable());
      }
    }
    Stored stored = queues.get(queue);
    if (stored != null) {
      gone.addAll(stored.partitions.get(partition).unreadable());
    }
    return gone;
  }
}
