/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.call.UndecodableMessage;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * A component that processes calls in batches. It answers them in {@link #answerBatch} rather than
 * in the call, see {@link io.forebay.call.Message#makeCurrent()}.
 */
public interface BatchAware {

  /**
   * Whether equal answers to consecutive messages become one message of the out-queue, see {@link
   * io.forebay.call.AnswerRun}. Its readers must know that. The same for the whole life of the
   * component.
   *
   * @param endRun ends the current run. A component that writes answers again after a loss of power
   *     calls it behind the same answers as before, because each run has a position that readers
   *     may know; it throws as an answer does
   */
  default boolean answersInRuns(Runnable endRun) {
    return false;
  }

  /**
   * Begins a batch; the following calls belong to it.
   *
   * @param from the position from which the batch was read
   */
  void beginBatch(int partition, long from);

  /**
   * Ends a batch, because no more calls are available or the batch is full: do the work.
   *
   * @param to the position behind the batch
   * @throws io.forebay.service.progress.Unavailable if the work cannot be done now. The service
   *     shows the reason, waits, and calls this method again with the same position, until it
   *     returns or the service is stopped.
   */
  void endBatch(long to);

  /**
   * Passes what to call in {@link #endBatch} when the work can be done again after it was
   * unavailable: the service then shows that it performs the batch. A component that never calls it
   * is shown as waiting until that method returns.
   *
   * @param performing receives what to show; does nothing if the work was not unavailable
   */
  default void whenAvailable(Consumer<String> performing) {}

  /**
   * Answers each call of the batch, in order. If the out-queue refuses an answer, let the exception
   * propagate; the service calls this method again, which must continue with that answer.
   */
  void answerBatch();

  /**
   * Stores a message of the batch that is undamaged but cannot be decoded; it is not called for it.
   * If it throws, the partition fails.
   *
   * @param message valid only during the call
   */
  default void deadLetter(
      int partition, long position, ByteBuffer message, UndecodableMessage reason) {}
}
