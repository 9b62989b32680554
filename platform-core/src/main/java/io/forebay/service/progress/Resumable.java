/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A component that stores its own progress together with its effects. Without it, the progress is
 * the position of the last message answered in the out-queue.
 */
public interface Resumable {

  /**
   * Returns the progress. Called once, before the first message.
   *
   * @throws Unavailable if the progress cannot be read now; it is called again
   * @throws Disagreement if the stored progress does not belong to this queue
   */
  Progress resume(Start start);

  /**
   * Receives position and checksum of the next message of the batch. Those of the last message
   * before the progress are stored with it and returned by {@link #resume}.
   */
  default void performs(long position, long checksum) {}

  /**
   * The most messages of the next batch, called before each batch; fewer while the component
   * searches for a message that kills the process.
   */
  default int atMost(int maxBatch) {
    return maxBatch;
  }

  /**
   * Reports that all answers to messages before {@code position} have reached the out-queue's
   * strongest level.
   */
  default void answered(long position) {}

  /**
   * Stores the position of {@link #answered}. Called when there is nothing to do and {@link
   * #answered} was called since the last batch.
   *
   * @throws Unavailable if that is not possible now; it is called again later
   */
  default void idle() {}

  /**
   * Marks the progress as drained: all messages are performed and answered, and the service ends;
   * see {@link io.forebay.service.Service#drain}.
   */
  default void drained() {}

  /**
   * What is known from the queues at the start of a partition.
   *
   * @param partitions the number of partitions of the in-queue
   * @param queueIdentity the identity of the in-queue
   * @param first the first position that the in-queue still has
   * @param passed the position up to which, according to the in-queue, messages are performed and
   *     safely answered; 0 if none
   * @param lastAnswered the position of the last message answered in the out-queue
   */
  record Start(
      int partition,
      int partitions,
      String queueIdentity,
      long first,
      long passed,
      OptionalLong lastAnswered) {}

  /**
   * Where to resume.
   *
   * @param readFrom the position to read from; below {@code next} if messages were performed whose
   *     answers are missing
   * @param next the first position that was not performed
   * @param last the last performed message; null if unknown
   */
  record Progress(long readFrom, long next, @Nullable LastPerformed last) {

    /** A progress whose last performed message is unknown. */
    public Progress(long readFrom, long next) {
      this(readFrom, next, null);
    }
  }

  /**
   * Identifies a performed message. Positions alone do not show whether a queue is still the same,
   * for instance after it was restored from an older copy.
   *
   * @param checksum of its bytes
   */
  record LastPerformed(long position, long checksum) {}
}
