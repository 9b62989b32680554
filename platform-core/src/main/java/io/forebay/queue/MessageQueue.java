/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A durable, partitioned sequence of messages: what stands between a caller and a service.
 *
 * <p>Messages of one partition have one order, that of their positions. A position is a {@code
 * long} that grows; where {@link Capabilities#contiguous()} is false it may have gaps, so the next
 * position always comes from {@link Tailer#position()}, never from adding one.
 *
 * <p>Thread-safe. Appenders, tailers and subscriptions made here are for one thread each, unless
 * they say otherwise. Closing the queue closes them all; from then on it still says what it is, and
 * everything else throws {@link IllegalStateException}.
 */
public interface MessageQueue extends AutoCloseable {

  /** The name it was opened with, for instance {@code orders.in}. */
  String name();

  /**
   * Names this very sequence of messages: made when the queue is created, kept for its life. A
   * memory queue has a new one at each start. A consumer keeps it beside its position, since a
   * position means nothing in another queue.
   *
   * @throws QueueUnavailable if the queue's server has not answered since the queue was opened
   */
  String identity();

  /** How many partitions it has; fixed when the queue is created. */
  int partitions();

  Capabilities capabilities();

  /**
   * Whether instances on several hosts may work on it, which are assigned its partitions and lose
   * them again as others come and go.
   */
  default boolean shared() {
    return false;
  }

  /**
   * Why the queue's server does not serve this queue now, or why the queue may not be used any more
   * as it is; empty if all is well, as it always is for a local queue.
   */
  default Optional<QueueTrouble> trouble() {
    return Optional.empty();
  }

  /**
   * How long a message is kept, performed or not, where retention is {@link Retention#BY_TIME};
   * empty elsewhere, and where it is not known or for ever.
   */
  default Optional<Duration> keptFor() {
    return Optional.empty();
  }

  /**
   * Whether nothing is deleted that a registered consumer still needs, however long that takes.
   * False also as long as that is not known.
   */
  default boolean keepsWhatIsNeeded() {
    return capabilities().retention() == Retention.BY_CONSUMER;
  }

  /** A new appender; close it when its thread ends. */
  Appender appender();

  /**
   * A new appender of one partition for the one who answers there, and who publishes what belongs
   * together. Where several instances share a queue, it ends the one that another instance has, and
   * returns when nothing can come from that any more: what is in the partition then stays as it is.
   *
   * @throws IllegalArgumentException if there is no such partition
   * @throws QueueUnavailable if the queue's server does not answer
   */
  default Appender answers(int partition) {
    return appender();
  }

  /**
   * A new reader of one partition, standing at the first message still kept. It belongs to no
   * consumer: it holds nothing back from retention.
   *
   * @throws IllegalArgumentException if there is no such partition
   */
  Tailer tailer(int partition);

  /**
   * Joins the consumer of that name, which from then on holds back retention where that is {@link
   * Retention#BY_CONSUMER}. The listener is told which partitions this instance shall work on; a
   * local queue assigns all of them before this method returns, a shared one later and from a
   * thread of its own.
   *
   * @throws IllegalStateException if this process has subscribed that consumer already
   */
  Subscription subscribe(String consumer, PartitionListener listener);

  /**
   * Reads from {@code from} to the end, or from the last mark up to which it is known to be good if
   * that is later, and checks every message. A position before the first message kept or beyond the
   * end is taken as the nearest there is.
   *
   * @throws IllegalArgumentException if there is no such partition
   */
  Verification verify(int partition, long from);

  /**
   * Makes the next message of the partition take position {@code position}, and leaves a gap before
   * it that readers pass over. For a queue whose host lost messages that a consumer has performed.
   *
   * @throws IllegalArgumentException if the position is below the end
   * @throws UnsupportedOperationException if the queue gives positions itself
   */
  void skipTo(int partition, long position);

  /**
   * Has the damaged part of a partition set aside when the queue is opened next: the damaged files
   * are kept under another name, all messages that can be read stay, and those that cannot leave a
   * gap. Until then nothing changes.
   *
   * @return the messages that will be missing, empty if all can be read
   * @throws IllegalArgumentException if there is no such partition
   * @throws IllegalStateException if the partition has no damage that is known
   * @throws UnsupportedOperationException if the queue has no files of its own
   */
  default List<MissingMessages> setAside(int partition) {
    throw new UnsupportedOperationException("queue %s has no files of its own".formatted(name()));
  }

  /**
   * Refuses further appends, with reason CLOSED, until the queue is opened anew; reading goes on.
   * For a queue that is being drained.
   */
  void stopAccepting();

  /**
   * Refuses appends to a partition, with reason FAILED and this text, and deletes nothing of it,
   * until {@link #agreed} is called or the queue is opened anew; reading goes on. Also of a closed
   * queue. For the consumer who finds that the partition is not the one it worked on, or who cannot
   * go on.
   *
   * @param why what is wrong and what to do; writers read it
   * @throws IllegalArgumentException if there is no such partition
   */
  void refuse(int partition, String why);

  /**
   * The consumer's progress was compared with the partition and fits: what is appended from now on
   * certainly takes positions that were never performed. Ends a {@link #refuse}. When this returns,
   * a crash does not undo it.
   *
   * @throws IllegalArgumentException if there is no such partition
   */
  void agreed(int partition);

  /**
   * From which position on messages were appended that nobody has compared yet, see {@link
   * #agreed}; remembered over restarts. If the queue lost messages, or its files are older than the
   * consumer's progress, these may have positions that others had before.
   *
   * @return the end if there are none; empty if the queue cannot tell
   * @throws IllegalArgumentException if there is no such partition
   */
  default OptionalLong uncompared(int partition) {
    return OptionalLong.empty();
  }

  /**
   * Waits until every message before a position has reached the queue's strongest level. A queue
   * that hands over only such messages returns at once.
   *
   * @throws QueueFailed if they never will
   * @throws IllegalArgumentException if there is no such partition
   */
  default void awaitSafe(int partition, long position) {}

  /**
   * What a consumer told with {@link Subscription#passed}, as far as the queue has stored it.
   *
   * @return empty if the queue knows no such consumer
   * @throws IllegalArgumentException if there is no such partition
   * @throws QueueUnavailable if the queue's server does not answer
   */
  default OptionalLong passed(String consumer, int partition) {
    Long passed = stats(partition).passed().get(consumer);
    return passed == null ? OptionalLong.empty() : OptionalLong.of(passed);
  }

  /** What is known of a partition now; cheap enough to be asked once a second. */
  QueueStats stats(int partition);

  /**
   * What was appended to a partition: a few reads of counters, whatever the queue holds.
   *
   * @throws IllegalArgumentException if there is no such partition
   */
  QueueCounters counters(int partition);

  /** Refuses further appends, waits for what was appended to be acknowledged, and releases all. */
  @Override
  void close();
}
