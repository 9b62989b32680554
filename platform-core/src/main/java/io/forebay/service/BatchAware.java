/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

/**
 * A component that wants to know which calls came together, to do their work at once. It answers
 * them in {@link #answerBatch} rather than in the call, see {@link
 * io.forebay.call.Message#makeCurrent()}.
 */
public interface BatchAware {

  /**
   * The calls that follow belong to one batch.
   *
   * @param from the position from which the batch was read
   */
  void beginBatch(int partition, long from);

  /**
   * No more calls are there at the moment, or the batch is full: do the work.
   *
   * @param to the position behind the batch
   * @throws Unavailable if it cannot be done now. The service shows the reason, waits, and calls
   *     this method again with the same position, until it returns or the service is stopped.
   */
  void endBatch(long to);

  /**
   * The work is done: answer each call, in order. If the out-queue refuses an answer, the exception
   * passes on, and the service calls this method again: go on with that answer.
   */
  void answerBatch();
}
