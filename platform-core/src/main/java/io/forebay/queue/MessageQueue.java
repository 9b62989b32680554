/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import io.forebay.queue.time.AppendTimes;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntFunction;

/**
 * A durable, partitioned sequence of messages between a caller and a service.
 *
 * <p>Messages of one partition have one order, that of their positions. A position is a {@code
 * long} that grows; where {@link Capabilities#contiguous()} is false it may have gaps, so the next
 * position always comes from {@link Tailer#position()}, never from adding one.
 *
 * <p>Thread-safe. Its appenders and tailers are not, unless they say so. Closing the queue closes
 * them and its subscriptions; from then on only its properties can be read, and everything else
 * throws {@link IllegalStateException}.
 */
public interface MessageQueue extends AutoCloseable {

  /** The name it was opened with, for instance {@code orders.in}. */
  String name();

  /**
   * Identifies this sequence of messages. It is made when the queue is created and never changes; a
   * memory queue has a new one at each start. A consumer stores it with its position, because a
   * position is meaningless in another queue.
   *
   * @throws QueueUnavailable if the queue's server has not answered since the queue was opened
   */
  String identity();

  /** How many partitions it has; fixed when the queue is created. */
  int partitions();

  /**
   * @throws IllegalArgumentException if there is no such partition
   */
  default void checkPartition(int partition) {
    if (partition < 0 || partition >= partitions()) {
      throw new IllegalArgumentException(
          "queue %s has no partition %d (partitions=%d)"
              .formatted(name(), partition, partitions()));
    }
  }

  Capabilities capabilities();

  /**
   * Whether instances on several hosts can consume this queue. Its partitions are then reassigned
   * as instances come and go.
   */
  default boolean shared() {
    return false;
  }

  /**
   * Whether a message that has only reached {@link Level#PROCESS} is in a file system in memory.
   * That may end with the container of the process.
   */
  default boolean inMemoryFirst() {
    return false;
  }

  /**
   * Why the queue's server does not serve this queue now, or why the queue may no longer be used;
   * empty if it works. Always empty for a local queue.
   */
  default Optional<QueueOutage> outage() {
    return Optional.empty();
  }

  /**
   * How long a shared queue keeps a message, performed or not; empty for a local queue, and if it
   * is unknown or unlimited.
   */
  default Optional<Duration> keptFor() {
    return Optional.empty();
  }

  /**
   * Whether the queue never deletes what a registered consumer still needs. False also if that is
   * not known yet.
   */
  default boolean keepsWhatIsNeeded() {
    return !shared();
  }

  /** Creates an appender; close it when its thread ends. */
  Appender appender();

  /**
   * Creates an appender for the instance that answers in a partition; it publishes messages that
   * belong together as one. On a shared queue this fences the appender of any other instance: once
   * it returns, the other instance can no longer append to the partition.
   *
   * @throws IllegalArgumentException if there is no such partition
   * @throws QueueUnavailable if the queue's server does not respond
   */
  default Appender answers(int partition) {
    return appender();
  }

  /**
   * As {@link #answers(int)}, for a consumer of another queue whose offset in the partition of the
   * same number may be committed with its answers, see {@link Appender#publish(GroupOffset)}.
   */
  default Appender answers(int partition, Subscription consumer) {
    return answers(partition);
  }

  /**
   * Creates a reader of one partition, positioned at the first message kept. It belongs to no
   * consumer, so retention ignores it.
   *
   * @throws IllegalArgumentException if there is no such partition
   */
  Tailer tailer(int partition);

  /**
   * Returns a function that creates readers of partitions as {@link #tailer} does, for a thread
   * that waits for new messages most of the time and rarely seeks. A shared queue asks its server
   * less often for them while there are none, and their seeks take longer, up to half a second;
   * they get new messages as soon as any other tailer. All of them belong to one thread: a wait of
   * one also ends when another may have a message. A queue that cannot do this keeps its waits
   * short.
   */
  default IntFunction<Tailer> followers() {
    return this::tailer;
  }

  /**
   * Joins the consumer of that name. From then on a local queue keeps what this consumer still
   * needs; a shared one deletes messages at a certain age. The listener receives the partitions
   * assigned to this instance: a local queue assigns all of them before this method returns, a
   * shared queue later and from its own thread.
   *
   * @throws IllegalStateException if this process has already subscribed that consumer
   */
  Subscription subscribe(String consumer, PartitionListener listener);

  /**
   * Makes the next message of the partition take position {@code position}, and leaves a gap before
   * it that readers skip. For a queue whose host lost messages that a consumer has already
   * performed.
   *
   * @throws IllegalArgumentException if the position is below the end
   * @throws UnsupportedOperationException if the queue assigns positions itself
   */
  void skipTo(int partition, long position);

  /**
   * Declares that a partition lost messages which a consumer has performed, from a position on. It
   * counts as damaged: appends are refused, and {@link #setAside} leaves a gap there.
   *
   * @param from the first lost position; messages from there on were appended since
   * @param next the position behind those that were performed
   * @throws IllegalArgumentException if there is no such partition
   * @throws UnsupportedOperationException if the queue assigns positions itself
   */
  default void lost(int partition, long from, long next) {
    throw new UnsupportedOperationException("queue %s cannot leave a gap".formatted(name()));
  }

  /**
   * Sets the damaged part of a partition aside the next time the queue is opened: the damaged files
   * are renamed, readable messages stay, and unreadable ones leave a gap. What was appended to a
   * partition that {@link #lost} performed messages follows behind the gap, so that no position is
   * used twice. Until then nothing changes.
   *
   * @return the messages that will be missing, empty if all can be read
   * @throws IllegalArgumentException if there is no such partition
   * @throws IllegalStateException if no damage of the partition is known
   * @throws UnsupportedOperationException if the queue has no files
   */
  default List<MissingMessages> setAside(int partition) {
    throw new UnsupportedOperationException("queue %s has no files of its own".formatted(name()));
  }

  /**
   * Refuses further appends, with reason CLOSED, until the queue is reopened; reading still works.
   * For a queue that is being drained.
   */
  void stopAccepting();

  /**
   * Marks a partition as drained: appends to it are refused until {@link #agreed}, also after the
   * queue is reopened. Survives a crash once this method returns. A consumer calls it before it
   * stores that it has drained the partition; from then on, another queue may replace this one.
   *
   * @return false while a message may still be appended that was accepted before; call it again
   * @throws QueueUnavailable if the queue's server does not respond
   * @throws IllegalArgumentException if there is no such partition
   */
  boolean drained(int partition);

  /**
   * Refuses appends to a partition, with reason FAILED and this text, and deletes none of its
   * messages, until {@link #agreed} is called or the queue is reopened; reading still works. May be
   * called on a closed queue. For a consumer that finds that the partition is not the one it worked
   * on, or that cannot continue.
   *
   * @param why what is wrong and what to do; writers read it
   * @throws IllegalArgumentException if there is no such partition
   */
  void refuse(int partition, String why);

  /**
   * As {@link #refuse}, and also ends when another instance takes the partition. For a consumer
   * that cannot continue, while the messages of the partition are as they should be.
   */
  default void refuseUntilMoved(int partition, String why) {
    refuse(partition, why);
  }

  /**
   * Confirms that the consumer's progress agrees with the partition: messages appended from now on
   * take positions that were never performed, and the consumer has stored that it performs this
   * queue. Ends a {@link #refuse} and what {@link #drained} does. Survives a crash once this method
   * returns.
   *
   * @throws QueueUnavailable if the queue's server does not respond
   * @throws IllegalArgumentException if there is no such partition
   */
  void agreed(int partition);

  /**
   * The position of the first message that was appended since progress was last compared, see
   * {@link #agreed}; survives restarts. If the queue lost messages, or its files are older than the
   * consumer's progress, these messages may reuse positions of performed ones.
   *
   * @return the end if there are no such messages; empty if the queue does not know
   * @throws IllegalArgumentException if there is no such partition
   */
  default OptionalLong uncompared(int partition) {
    return OptionalLong.empty();
  }

  /**
   * Waits until every message before a position has reached the queue's strongest level. Returns at
   * once on a queue that delivers only such messages.
   *
   * @throws QueueFailed if they never will reach it
   * @throws IllegalArgumentException if there is no such partition
   */
  default void awaitSafe(int partition, long position) {}

  /**
   * The position of {@link #offset}.
   *
   * @return empty if the queue knows no such consumer
   */
  default OptionalLong passed(String consumer, int partition) {
    return offset(consumer, partition)
        .map(it -> OptionalLong.of(it.position()))
        .orElseGet(OptionalLong::empty);
  }

  /**
   * The position that a consumer reported with {@link Subscription#passed}, as far as the queue has
   * stored it; or the offset that it committed with its answers, to be read by the owner of the
   * partition, once it has its {@link #answers(int, Subscription) appender of answers}.
   *
   * @return empty if the queue knows no such consumer
   * @throws IllegalArgumentException if there is no such partition
   * @throws QueueUnavailable if the queue's server does not respond
   */
  default Optional<GroupOffset> offset(String consumer, int partition) {
    return Optional.ofNullable(stats(partition).passed().get(consumer))
        .map(position -> new GroupOffset(position, ""));
  }

  /** When this process appended its latest messages. Writers add to it. */
  AppendTimes appendTimes();

  /** The current figures of a partition; cheap enough to call once a second. */
  QueueStats stats(int partition);

  /**
   * The bytes that all messages so far took in storage; never decreases, and starts at 0 when the
   * queue is opened. Reads a counter, whatever the size of the queue.
   *
   * @return empty if they are not counted
   * @throws IllegalArgumentException if there is no such partition
   */
  default OptionalLong appendedBytes(int partition) {
    checkPartition(partition);
    return OptionalLong.empty();
  }

  /**
   * Refuses further appends, waits until all messages are acknowledged, and releases all resources.
   */
  @Override
  void close();
}
