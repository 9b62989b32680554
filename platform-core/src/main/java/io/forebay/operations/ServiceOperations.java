/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.capacity.ServiceSample;
import io.forebay.service.Latency;
import io.forebay.service.Service;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What can be seen of one service in this process, and done with it. Its owner implements it; for a
 * {@link Service} there is {@link #of}. Commands take effect in this process only and are forgotten
 * with it: {@link Services} makes them last. Thread-safe.
 */
public interface ServiceOperations {

  /** Unique among the services of the process. */
  String name();

  /** The names of its queues. */
  List<String> queues();

  /** What it does now; cheap enough to be asked once a second. */
  ServiceView view();

  /**
   * Its counters now, for {@link io.forebay.capacity.ServiceHistory}; cheaper than a view. Its busy
   * share is that since the sample before, so one thread asks for all of them.
   */
  ServiceSample sample(Instant now);

  /**
   * How long its in-queue keeps a message, performed or not; empty where nothing is deleted before
   * it is performed, and where it is not known.
   */
  default Optional<Duration> keptFor() {
    return Optional.empty();
  }

  /** Whether nothing is deleted before it is performed; false also as long as it is not known. */
  default boolean keepsUnperformed() {
    return keptFor().isEmpty();
  }

  /** Performs nothing more after the batch in hand. Messages are still accepted. */
  void pause(String reason);

  /** As {@link #pause}, while something must be known first; does nothing if it is paused. */
  void hold(String reason);

  /** Ends a hold, but not a pause. */
  void release();

  /** Ends a pause and a hold. */
  void resume();

  /**
   * Has the message fail that a partition fails to perform again and again, see {@link
   * PartitionView#waitsFor}; it is answered so, and the partition goes on with the next one.
   *
   * @param reason why, for those who read the answer
   * @return false if the partition does not wait for the message at that position
   */
  default boolean failMessage(int partition, long position, String reason) {
    return false;
  }

  /**
   * Accepts nothing more, performs and answers all there is, marks its progress as drained and
   * ends. Then it may be started with another queue backend.
   *
   * @return whether that was done within the time; if not it goes on
   * @throws IllegalStateException if it works on no partition
   */
  boolean drain(Duration timeout) throws InterruptedException;

  /**
   * Has what is damaged in the queues of a partition set aside at the next start; see {@link
   * io.forebay.queue.MessageQueue#setAside}.
   *
   * @return the queues that are damaged there, and what will be missing in them
   * @throws IllegalArgumentException if there is no such partition
   * @throws IllegalStateException if neither queue has damage that is known
   * @throws UnsupportedOperationException if its queues have no files of their own
   */
  default List<SetAside> setAside(int partition) {
    throw new UnsupportedOperationException("service " + name() + " has no files of its own");
  }

  /** How long messages took; its snapshots are for one reader, {@link Services#latencies}. */
  Latency latency();

  static ServiceOperations of(Service<?, ?> service) {
    return new OperatedService(service);
  }
}
