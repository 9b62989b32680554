/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.util.Optional;

/** The membership of this instance in a consumer. Thread-safe. */
public interface Subscription extends AutoCloseable {

  String consumer();

  /**
   * Reports that this consumer no longer needs anything before {@code position}. The queue uses it
   * for retention and to display lag; the consumer stores its actual position itself. Cheap; the
   * queue may store it later, so after a crash it may know an older one. A position below the last
   * reported one is ignored.
   *
   * @throws IllegalArgumentException if there is no such partition
   * @throws PositionOutOfRange if the position is beyond the end, provided the queue knows that at
   *     once
   * @throws IllegalStateException if the consumer has left; it may still call this from {@link
   *     PartitionListener#revoked}
   */
  void passed(int partition, long position);

  /** Why the queue assigns no partitions to this instance although it asks for them. */
  default Optional<QueueOutage> outage() {
    return Optional.empty();
  }

  /** Whether an instance works on a partition: this one, or another of the same consumer. */
  default Ownership ownership(int partition) {
    return Ownership.owned();
  }

  /**
   * Leaves the consumer and joins it again, as a new member: another instance works on a partition
   * of this one, or this one cannot give a partition up. Does not wait. Does nothing on a queue of
   * one host.
   */
  default void rejoin() {}

  /**
   * Leaves the consumer; every partition is revoked before this returns. The consumer stays
   * registered: the queue keeps its messages until it returns or is dropped.
   */
  @Override
  void close();
}
