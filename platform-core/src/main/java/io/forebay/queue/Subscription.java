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
   * Tells the queue that this consumer needs nothing before {@code position} any more. It serves
   * retention and the display of lag; the consumer keeps its true position itself. Cheap; it may be
   * stored later, so after a crash the queue may know an older one. A position below one that was
   * passed before changes nothing.
   *
   * @throws IllegalArgumentException if there is no such partition
   * @throws PositionOutOfRange if the position is beyond the end, where that is known at once
   * @throws IllegalStateException if the consumer has left; it may still call this from {@link
   *     PartitionListener#revoked}
   */
  void passed(int partition, long position);

  /** Why this instance is given no partitions at the moment although it asks for them. */
  default Optional<QueueTrouble> trouble() {
    return Optional.empty();
  }

  /** Whether an instance works on a partition: this one, or another of the same consumer. */
  default Ownership ownership(int partition) {
    return Ownership.owned();
  }

  /**
   * Leaves: every partition is revoked before this returns. The consumer stays registered and holds
   * back retention until it comes again or is dropped.
   */
  @Override
  void close();
}
