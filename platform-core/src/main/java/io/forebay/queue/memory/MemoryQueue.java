/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import io.forebay.machine.Machine;
import io.forebay.queue.Appender;
import io.forebay.queue.Capabilities;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.QueueCounters;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.queue.Retention;
import io.forebay.queue.Subscription;
import io.forebay.queue.Tailer;
import io.forebay.queue.Verification;
import io.forebay.queue.local.LocalSubscription;
import io.forebay.queue.stored.StoredQueue;
import io.forebay.queue.time.AppendTimes;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** A queue of {@link MemoryBackend}: its partitions and subscriptions. */
final class MemoryQueue implements MessageQueue, StoredQueue {

  private static final Capabilities CAPABILITIES =
      new Capabilities(Level.MEMORY, Retention.BY_CONSUMER, true, Capabilities.MAX_MESSAGE_BYTES);

  private final String name;
  private final String identity = "memory:" + Machine.uuid();
  private final List<MemoryPartition> partitions;
  private final AppendTimes appendTimes;
  private final Consumer<MemoryQueue> onClose;
  private final Map<String, LocalSubscription> subscriptions = new HashMap<>();
  private volatile boolean closing;
  private volatile boolean closed;

  MemoryQueue(
      String name,
      int partitions,
      MemoryBackend.Limits limits,
      boolean evicts,
      InstantSource clock,
      Consumer<MemoryQueue> onClose) {
    this.name = name;
    this.onClose = onClose;
    List<MemoryPartition> made = new ArrayList<>();
    for (int i = 0; i < partitions; i++) {
      made.add(new MemoryPartition(name, i, limits, evicts, clock));
    }
    this.partitions = List.copyOf(made);
    this.appendTimes = new AppendTimes(partitions);
  }

  static QueueRefused closed(String name) {
    return new QueueRefused(
        QueueRefused.Reason.CLOSED, "queue " + name + " is closed; nothing was written");
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String identity() {
    return identity;
  }

  @Override
  public int partitions() {
    return partitions.size();
  }

  @Override
  public AppendTimes appendTimes() {
    return appendTimes;
  }

  @Override
  public Capabilities capabilities() {
    return CAPABILITIES;
  }

  @Override
  public Appender appender() {
    checkOpen();
    return new MemoryAppender(this);
  }

  @Override
  public Tailer tailer(int partition) {
    checkOpen();
    return new MemoryTailer(this, partition(partition));
  }

  @Override
  public Subscription subscribe(String consumer, PartitionListener listener) {
    LocalSubscription subscription =
        new LocalSubscription(
            this,
            consumer,
            listener,
            (name, partition, position) -> partition(partition).passed(name, position),
            this::left);
    synchronized (subscriptions) {
      if (closing) {
        throw notOpen();
      }
      if (subscriptions.putIfAbsent(consumer, subscription) != null) {
        throw new IllegalStateException(
            "consumer %s of queue %s has a subscription in this process already; close it first"
                .formatted(consumer, name));
      }
    }
    partitions.forEach(it -> it.register(consumer)); // assigned messages are still there then
    subscription.start();
    return subscription;
  }

  private void left(LocalSubscription subscription) {
    synchronized (subscriptions) {
      subscriptions.remove(subscription.consumer(), subscription);
    }
  }

  @Override
  public Verification verify(int partition, long from) {
    checkOpen();
    return partition(partition).verify(from);
  }

  @Override
  public void skipTo(int partition, long position) {
    checkOpen();
    partition(partition).skipTo(position);
  }

  @Override
  public void stopAccepting() {
    partitions.forEach(MemoryPartition::stopAppends);
  }

  /** Does nothing: it ends with its process. */
  @Override
  public boolean drained(int partition) {
    checkPartition(partition);
    return true;
  }

  @Override
  public void refuse(int partition, String why) {
    partition(partition).refuse(why);
  }

  @Override
  public void agreed(int partition) {
    partition(partition).agreed();
  }

  @Override
  public QueueStats stats(int partition) {
    checkOpen();
    return partition(partition).stats();
  }

  @Override
  public QueueCounters counters(int partition) {
    checkOpen();
    return partition(partition).counters();
  }

  MemoryPartition partition(int partition) {
    checkPartition(partition);
    return partitions.get(partition);
  }

  void checkOpen() {
    if (closed) {
      throw notOpen();
    }
  }

  boolean closed() {
    return closed;
  }

  private IllegalStateException notOpen() {
    return new IllegalStateException("queue " + name + " is closed; reopen it");
  }

  /**
   * Stops appends, then the consumers' work, then reading, so that consumers can finish their
   * batches.
   */
  @Override
  public void close() {
    List<LocalSubscription> open;
    synchronized (subscriptions) {
      closing = true;
      open = new ArrayList<>(subscriptions.values());
    }
    partitions.forEach(MemoryPartition::stopAppends);
    open.forEach(LocalSubscription::close);
    closed = true;
    onClose.accept(this);
  }

  @Override
  public String toString() {
    return "queue " + name;
  }
}
