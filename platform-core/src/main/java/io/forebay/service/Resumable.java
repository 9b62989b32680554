/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A component that keeps its own progress, beside what it does. Of a component that is not, the
 * progress is the position of the last message answered in the out-queue.
 */
public interface Resumable {

  /**
   * Called once, before the first message.
   *
   * @throws Unavailable if the progress cannot be read now; it is called again
   * @throws Disagreement if what is kept does not belong to this queue
   */
  Progress resume(Start start);

  /**
   * Told before {@link BatchAware#endBatch} which message is the last of the batch, to be kept with
   * the progress and given back by {@link #resume}.
   */
  default void endsWith(LastPerformed last) {}

  /**
   * How many messages the next batch may have, asked before each; fewer while the component looks
   * for a message that ends the process.
   */
  default int atMost(int maxBatch) {
    return maxBatch;
  }

  /**
   * All answers to messages before {@code position} have reached the out-queue's strongest level.
   */
  default void answered(long position) {}

  /**
   * There is nothing to do, and {@link #answered} was called since the last batch: to keep what was
   * said there.
   *
   * @throws Unavailable if that is not possible now; it is called again later
   */
  default void idle() {}

  /** The service has performed and answered all there was, and ends; see {@link Service#drain}. */
  default void drained() {}

  /**
   * What the queues know at the start of a partition.
   *
   * @param partitions how many the in-queue has
   * @param queueIdentity of the in-queue
   * @param first the first position that the in-queue still has
   * @param passed what the in-queue remembers as performed and answered safely, 0 if nothing
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
   * Where to go on.
   *
   * @param readFrom the position to read from; below {@code next} if messages were performed whose
   *     answers are missing
   * @param next the first position that was not performed
   * @param last the message that was performed last; null if it is not known
   */
  record Progress(long readFrom, long next, @Nullable LastPerformed last) {

    /** Where the message that was performed last is not known. */
    public Progress(long readFrom, long next) {
      this(readFrom, next, null);
    }
  }

  /**
   * A message that was performed, so that it is known again: positions alone do not tell whether a
   * queue is the one that was worked on, as one that was restored from an older copy is not.
   *
   * @param checksum of its bytes
   */
  record LastPerformed(long position, long checksum) {}
}
