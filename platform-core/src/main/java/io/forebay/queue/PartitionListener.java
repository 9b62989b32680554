/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

/**
 * Told which partitions a consumer works on in this instance. Calls come one after the other, never
 * at the same time.
 */
public interface PartitionListener {

  /** Work on it from the position the consumer keeps itself. Must not block. */
  void assigned(int partition);

  /**
   * Returns when all work on it has ended; another instance may have it from then on. A shared
   * queue does not wait for ever: it then gives the partition away all the same, and the consumer's
   * own fence (the epoch) stops what is still under way.
   */
  void revoked(int partition);

  /**
   * Another instance may have it already: stop, and touch nothing that is shared. What is still
   * under way is stopped by the consumer's own fence (the epoch).
   */
  void lost(int partition);
}
