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
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.queue.Subscription;
import io.forebay.queue.Tailer;
import io.forebay.queue.local.LocalSubscription;
import io.forebay.queue.stored.StoredQueue;
import io.forebay.queue.time.AppendTimes;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

/** A queue of {@link MemoryBackend}: its partitions and subscriptions. */
final class MemoryQueue implements MessageQueue, StoredQueue {

  private final MemoryBackend backend;
  private final String name;
  private final String identity = "memory:" + Machine.uuid();
  private final List<MemoryPartition> partitions;
  private final AppendTimes appendTimes;
  private final Map<String, LocalSubscription> subscriptions = new ConcurrentHashMap<>();
  private volatile boolean closed;

  /**
   * @param evicts whether it keeps what all consumers have passed until it is full
   */
  MemoryQueue(MemoryBackend backend, String name, int partitions, boolean evicts) {
    this.backend = backend;
    this.name = name;
    this.partitions =
        IntStream.range(0, partitions).mapToObj(it -> backend.partition(this, it, evicts)).toList();
    this.appendTimes = new AppendTimes(partitions);
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
    return new Capabilities(Level.MEMORY, true, Capabilities.MAX_MESSAGE_BYTES);
  }

  @Override
  public Appender appender() {
    checkOpen();
    return new MemoryAppender(this);
  }

  @Override
  public Tailer tailer(int partition) {
    return open(partition).tailer();
  }

  @Override
  public Subscription subscribe(String consumer, PartitionListener listener) {
    LocalSubscription subscription =
        new LocalSubscription(
            this,
            consumer,
            listener,
            (name, partition, position) -> partition(partition).passed(name, position),
            left -> subscriptions.remove(consumer, left));
    if (subscriptions.putIfAbsent(consumer, subscription) != null) {
      throw new IllegalStateException(
          "consumer %s of queue %s has a subscription in this process already; close it first"
              .formatted(consumer, name));
    }
    if (closed) {
      subscription.close();
    }
    partitions.forEach(it -> it.register(consumer)); // assigned messages are still there then
    subscription.start();
    return subscription;
  }

  @Override
  public void skipTo(int partition, long position) {
    open(partition).skipTo(position);
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
    return open(partition).stats();
  }

  @Override
  public OptionalLong appendedBytes(int partition) {
    return OptionalLong.of(open(partition).appendedBytes());
  }

  MemoryPartition partition(int partition) {
    checkPartition(partition);
    return partitions.get(partition);
  }

  private MemoryPartition open(int partition) {
    checkOpen();
    return partition(partition);
  }

  boolean isClosed() {
    return closed;
  }

  void checkOpen() {
    if (closed) {
      throw new IllegalStateException("queue " + name + " is closed; reopen it");
    }
  }

  QueueRefused refusedAsClosed() {
    return new QueueRefused(
        QueueRefused.Reason.CLOSED, "queue " + name + " is closed; nothing was written");
  }

  /**
   * Stops appends, then the consumers' work, then reading, so that consumers can finish their
   * batches.
   */
  @Override
  public void close() {
    stopAccepting();
    subscriptions.values().forEach(LocalSubscription::close);
    closed = true;
    subscriptions.values().forEach(LocalSubscription::close); // of those that came meanwhile
    backend.remove(this);
  }

  @Override
  public String toString() {
    return "queue " + name;
  }
}
