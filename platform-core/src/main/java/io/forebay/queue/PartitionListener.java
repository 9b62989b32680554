/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

/** Receives the partitions that a consumer works on in this instance. Calls never overlap. */
public interface PartitionListener {

  /**
   * Starts work on a partition, from the position that the consumer stores itself. Must not block.
   */
  void assigned(int partition);

  /**
   * The partition is about to be revoked, perhaps with others. Its work is to end at once, so that
   * nobody waits for each of them in turn. Must not block.
   */
  default void revoking(int partition) {}

  /**
   * Ends all work on a partition before it returns; another instance may own the partition from
   * then on. If that takes too long, a shared queue reassigns the partition anyway, and the
   * consumer's own fence (the epoch) stops the remaining work.
   */
  void revoked(int partition);

  /**
   * Another instance may already own the partition: stop, and do not touch shared state. The
   * consumer's own fence (the epoch) stops work that is still in progress.
   */
  void lost(int partition);
}
