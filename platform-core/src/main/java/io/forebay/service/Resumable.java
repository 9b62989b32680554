/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import java.util.OptionalLong;

/**
 * A component that keeps its own progress, beside what it does. Of a component that is not, the
 * progress is the position of the last message answered in the out-queue.
 */
public interface Resumable {

  /**
   * Called once, before the first message.
   *
   * @throws Unavailable if the progress cannot be read now; it is called again
   * @throws IllegalStateException if what is kept does not belong to this queue; the message says
   *     what to do
   */
  Progress resume(Start start);

  /**
   * All answers to messages before {@code position} have reached the out-queue's strongest level.
   */
  default void answered(long position) {}

  /** The service has performed and answered all there was, and ends; see {@link Service#drain}. */
  default void drained() {}

  /**
   * What the queues know at the start of a partition.
   *
   * @param partitions how many the in-queue has
   * @param queueIdentity of the in-queue
   * @param first the first position that the in-queue still has
   * @param lastAnswered the position of the last message answered in the out-queue
   */
  record Start(
      int partition, int partitions, String queueIdentity, long first, OptionalLong lastAnswered) {}

  /**
   * Where to go on.
   *
   * @param readFrom the position to read from; below {@code next} if messages were performed whose
   *     answers are missing
   * @param next the first position that was not performed
   */
  record Progress(long readFrom, long next) {}
}
