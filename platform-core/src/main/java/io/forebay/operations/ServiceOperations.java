/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.capacity.Figure;
import io.forebay.capacity.ServiceSample;
import io.forebay.capacity.Until;
import io.forebay.capacity.disk.FileRetention;
import io.forebay.service.Latency;
import io.forebay.service.PartitionView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The view of one service in this process, and the commands to it. Commands take effect in this
 * process only and do not survive it; {@link Services} stores them. Thread-safe.
 */
public interface ServiceOperations {

  /** Unique among the services of the process. */
  String name();

  /** The names of its in-queue and its out-queue. */
  List<String> queues();

  /**
   * The name of the service whose answers it performs, as the next stage of a pipeline; empty if it
   * has an in-queue of its own.
   */
  default Optional<String> stageBefore() {
    return Optional.empty();
  }

  /** What an acknowledged message of its in-queue survives; empty if unknown. */
  default Optional<Durability> durability() {
    return Optional.empty();
  }

  /** Whether it performs statements on a database. */
  default boolean usesDatabase() {
    return false;
  }

  /** How long its database took for statements; none if it performs no statements. */
  default StatementCounts statementTimes() {
    return StatementCounts.NONE;
  }

  /** Its current state; cheap enough to call once a second. */
  ServiceView view();

  /**
   * An upper bound of its answers that the beans of this application have not received; 0 if none
   * receives them, empty if it is unknown.
   */
  default OptionalLong unreceived() {
    return OptionalLong.of(0);
  }

  /**
   * How many of its answers a bean of this application did not receive because it threw; since the
   * start.
   */
  default long skipped() {
    return 0;
  }

  /**
   * Its current counters, for {@link io.forebay.capacity.ServiceHistory}. The busy share covers the
   * time since the previous sample, so only {@link ServiceReadings} takes samples.
   *
   * @param view its state at this moment
   */
  ServiceSample sample(Instant now, ServiceView view);

  /**
   * How long its in-queue keeps a message, performed or not; empty if messages are kept until
   * performed or the time is unknown.
   */
  default Optional<Duration> keptFor() {
    return Optional.empty();
  }

  /** Whether messages are kept until performed; false also if that is not known yet. */
  default boolean keepsUnperformed() {
    return keptFor().isEmpty();
  }

  /**
   * The time until retention deletes the oldest waiting message; unknown if messages are kept until
   * performed or the brokers have not reported the retention time yet.
   *
   * @param behind the age of the oldest waiting message
   */
  default Figure<Until> loss(Figure<Duration> behind) {
    if (keepsUnperformed()) {
      return Figure.unknown("messages are kept until performed");
    }
    Duration kept = keptFor().orElse(null);
    if (kept == null) {
      return Figure.unknown("the brokers have not reported the retention time yet");
    }
    return behind.known().filter(Duration::isZero).isPresent()
        ? Figure.measured(new Until.Never("nothing waits"))
        : FileRetention.lossMargin(kept, behind);
  }

  /** Pauses the service after the current batch. Messages are still accepted. */
  void pause(String reason);

  /**
   * Like {@link #pause}, but temporary, until required information is available; does nothing if
   * the service is paused.
   */
  void hold(String reason);

  /** Ends a hold, but not a pause. */
  void release();

  /** Ends a pause and a hold. */
  void resume();

  /**
   * Fails the message that a partition retries without success, see {@link PartitionView#waitsFor}.
   * Its answer is a failure, and the partition continues with the next message.
   *
   * @param reason the reason given in the answer
   * @return false if the partition does not wait for the message at that position
   */
  default boolean failMessage(int partition, long position, String reason) {
    return false;
  }

  /**
   * Drains the service: it refuses new messages, performs and answers all accepted ones, marks its
   * progress as drained and ends. Then it may be started with another queue backend.
   *
   * @return whether draining finished within the timeout; if not, it continues
   * @throws IllegalStateException if this instance works on no partition
   */
  boolean drain(Duration timeout) throws InterruptedException;

  /**
   * Sets the damaged parts of a partition's queues aside at the next start; see {@link
   * io.forebay.queue.MessageQueue#setAside}.
   *
   * @return the damaged queues and the messages that will be missing in them
   * @throws IllegalArgumentException if there is no such partition
   * @throws IllegalStateException if no damage of either queue is known
   * @throws UnsupportedOperationException if its queues have no files
   */
  default List<SetAside> setAside(int partition) {
    throw new UnsupportedOperationException("service " + name() + " has no files of its own");
  }

  /** The latencies of its messages; only {@link ServiceReadings} takes snapshots. */
  Latency latency();
}
