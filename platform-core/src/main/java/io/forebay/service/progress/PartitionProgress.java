/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

import io.forebay.queue.GroupOffset;
import java.nio.ByteBuffer;

/**
 * How far a partition is: with its effects, if the component stores it, or else in its answers. For
 * the thread of the partition.
 */
public interface PartitionProgress {

  /**
   * Returns where to resume.
   *
   * @throws Unavailable if that cannot be read now
   * @throws Disagreement if the progress does not belong to this queue
   */
  Resumable.Progress resume(Comparison comparison);

  /**
   * Records that the queues agree with the progress.
   *
   * @param next the first position that was not performed
   * @throws Unavailable if that cannot be stored now
   */
  default void agreed(long next) {}

  /** The most messages of the next batch. */
  default int atMost(int maxBatch) {
    return maxBatch;
  }

  /** A message is about to be performed. */
  void performs(long position, ByteBuffer message);

  /** All answers before this position have reached the out-queue's strongest level. */
  default void answered(long position) {}

  /**
   * Whether the progress is an {@link #offset} that is committed with the answers, and nothing
   * else.
   */
  default boolean isCommittedWithAnswers() {
    return false;
  }

  /**
   * The offset to commit if everything before a position is answered.
   *
   * @throws UnsupportedOperationException if it is not {@link #isCommittedWithAnswers}
   */
  default GroupOffset offset(long next) {
    throw new UnsupportedOperationException("the progress is not committed with the answers");
  }

  /** Stores the position while there is nothing to do; if that fails, it is stored later. */
  void idle(long position);

  /** Stores the position at a stop, if the queues have agreed. */
  default void stopped(long position) {}

  /**
   * Stores that everything before this position, the end, was performed and answered.
   *
   * @throws Unavailable if that cannot be stored now
   */
  void drained(long position);
}
