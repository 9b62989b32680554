/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.machine.SimulatedMachine;
import io.forebay.queue.Capabilities;
import io.forebay.queue.GroupOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The topics and consumer groups of a cluster of brokers, which outlives the processes that use it.
 * It keeps what Kafka keeps: the order of a partition, transactions of which readers see all or
 * nothing, the fencing of an older writer of answers, and one owner of a partition in each group,
 * unless that owner does not respond. Thread-safe.
 */
final class Cluster implements StoredMessages {

  final ReentrantLock lock = new ReentrantLock();
  private final Map<String, Topic> topics = new TreeMap<>();
  private final List<Topic> former = new ArrayList<>();
  private long made;
  private boolean away;

  /** A topic. */
  static final class Topic {

    final String name;
    final String identity;
    final List<Log> partitions = new ArrayList<>();
    final List<Thread> waiting = new ArrayList<>();
    final Map<String, Group> groups = new TreeMap<>();

    /** The brokers refuse larger messages. */
    int mostBytes = Capabilities.MAX_MESSAGE_BYTES;

    private Topic(String name, String identity, int partitions) {
      this.name = name;
      this.identity = identity;
      for (int i = 0; i < partitions; i++) {
        this.partitions.add(new Log(this));
      }
    }

    /** Ends the waits of readers, of whatever partition. */
    void wake() {
      waiting.forEach(LockSupport::unpark);
      waiting.clear();
    }
  }

  /** The log of a partition. */
  static final class Log {

    /** No transaction is open. */
    private static final long NONE = -1;

    final NavigableMap<Long, byte[]> messages = new TreeMap<>();
    private final Topic topic;
    long end;
    long epoch;

    /** How often an election cut off its tail, and where the last time. */
    int cuts;

    long cutAt;

    /** What was cut off. */
    final List<Map.Entry<Long, byte[]>> cutOff = new ArrayList<>();

    private long openFrom = NONE;

    /** The assignment of the service whose answer the brokers refused last; 0 if there is none. */
    int refusedIn;

    /** Another queue may replace it. */
    volatile boolean drained;

    private Log(Topic topic) {
      this.topic = topic;
    }

    /** The position up to which readers read. */
    long readable() {
      return openFrom == NONE ? end : openFrom;
    }

    long append(byte[] message) {
      messages.put(end, message);
      end++;
      topic.wake();
      return end - 1;
    }

    /** An unclean election: the new leader does not have the last messages. */
    void cut(long at) {
      NavigableMap<Long, byte[]> tail = messages.tailMap(at, true);
      cutOff.addAll(new TreeMap<>(tail).entrySet());
      tail.clear();
      end = at;
      cutAt = at;
      cuts++;
      openFrom = NONE;
      topic.wake();
    }

    /** Writes messages that readers do not see yet. */
    void begin(List<byte[]> transaction) {
      openFrom = end;
      transaction.forEach(message -> messages.put(end++, message));
    }

    /** Ends the transaction with a marker, which takes a position. */
    void complete(boolean commit) {
      if (openFrom != NONE) {
        if (!commit) {
          messages.tailMap(openFrom, true).clear();
        }
        openFrom = NONE;
        end++;
        topic.wake();
      }
    }
  }

  /** The members of a consumer, and which partitions they own. */
  static final class Group {

    final List<Member> members = new ArrayList<>();
    final @Nullable Member[] owners;
    final @Nullable GroupOffset[] offsets;

    /** How often each partition was assigned. */
    final int[] assignments;

    private Group(int partitions) {
      owners = new Member[partitions];
      assignments = new int[partitions];
      offsets = new GroupOffset[partitions];
    }

    /** The member that should own a partition. */
    @Nullable Member target(int partition) {
      return members.isEmpty() ? null : members.get(partition % members.size());
    }

    /** The partitions of a dead or expelled member are free. */
    void expel(Member member) {
      members.remove(member);
      Arrays.setAll(owners, i -> owners[i] == member ? null : owners[i]);
      member.expelled = true;
      changed();
    }

    void changed() {
      members.forEach(it -> LockSupport.unpark(it.thread));
    }
  }

  /** An instance of a consumer. */
  static final class Member {

    @Nullable Thread thread;

    /** Null in a test without simulated processes. */
    SimulatedMachine.@Nullable Simulated process;

    volatile boolean expelled;
    long seenNanos;
  }

  Topic open(String name, int partitions) {
    lock.lock();
    try {
      Topic topic =
          topics.computeIfAbsent(
              name, _ -> new Topic(name, "cluster:" + name + ":" + ++made, partitions));
      if (topic.partitions.size() != partitions) {
        throw new IllegalStateException(
            "topic %s has %d partitions, not %d"
                .formatted(name, topic.partitions.size(), partitions));
      }
      return topic;
    } finally {
      lock.unlock();
    }
  }

  Group group(Topic topic, String consumer) {
    return topic.groups.computeIfAbsent(consumer, _ -> new Group(topic.partitions.size()));
  }

  void delete(String name) {
    lock.lock();
    try {
      Topic removed = topics.remove(name);
      if (removed != null) {
        former.add(removed);
      }
    } finally {
      lock.unlock();
    }
  }

  boolean isAway() {
    return away;
  }

  /** Whether brokers respond; an operation under way fails. */
  void away(boolean value) {
    away = value;
  }

  @Nullable Topic topic(String name) {
    return topics.get(name);
  }

  @Override
  public String backend() {
    return "cluster";
  }

  @Override
  public NavigableMap<Long, byte[]> messages(String queue, int partition) {
    Topic topic = topics.get(queue);
    return topic == null ? new TreeMap<>() : topic.partitions.get(partition).messages;
  }

  @Override
  public List<Map.Entry<Long, byte[]>> gone(String queue, int partition) {
    List<Map.Entry<Long, byte[]>> gone = new ArrayList<>();
    Topic present = topics.get(queue);
    if (present != null) {
      gone.addAll(present.partitions.get(partition).cutOff);
    }
    for (Topic topic : former) {
      if (topic.name.equals(queue)) {
        gone.addAll(topic.partitions.get(partition).messages.entrySet());
      }
    }
    return gone;
  }
}
