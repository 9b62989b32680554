/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Performs the calls of a chunk together. A transport implements it.
 *
 * <p>Each chunk is performed on a virtual thread of its own, so a transport that blocks answers
 * with a completed stage, and one that does not completes it later on any thread. As many chunks as
 * the options allow are performed at once, so an implementation must be thread-safe. When a chunk's
 * time is over, its thread is interrupted, and the stage is cancelled if it is a {@link
 * java.util.concurrent.Future}.
 *
 * <p>It must not call a service of a collector, which would wait for a chunk that waits for this
 * one: such a call throws {@link IllegalStateException}.
 */
@FunctionalInterface
public interface ChunkFunction<A, R extends @Nullable Object> {

  /**
   * Performs calls.
   *
   * @param arguments one per call, in the order in which the calls were made; unmodifiable
   * @return one reply per call. A call without one fails with {@link
   *     CallFailed.Reason#NOT_ANSWERED}; if an index is not one of the chunk or comes twice, all
   *     calls of the chunk fail with {@link CallFailed.Reason#INVALID_REPLY}
   * @throws Exception fails all calls of the chunk with {@link CallFailed.Reason#CHUNK_FAILED}, as
   *     does a stage that is completed exceptionally
   */
  CompletionStage<List<Reply<R>>> perform(List<A> arguments) throws Exception;

  /** A function that blocks and answers in the order of the arguments. */
  @FunctionalInterface
  interface InOrder<A, R extends @Nullable Object> {

    /**
     * Performs calls.
     *
     * @return as many results as there are arguments, in their order
     * @throws Exception fails all calls of the chunk
     */
    List<R> perform(List<A> arguments) throws Exception;
  }

  /**
   * A chunk function whose replies are the results of another, in their order. If there are fewer
   * or more than calls, nobody knows which belongs to which, and all calls of the chunk fail with
   * {@link CallFailed.Reason#INVALID_REPLY}.
   */
  static <A, R extends @Nullable Object> ChunkFunction<A, R> inOrder(InOrder<A, R> function) {
    return arguments -> {
      List<R> results = function.perform(arguments);
      if (results.size() != arguments.size()) {
        throw new InvalidReply(
            "%,d results in order to %,d calls".formatted(results.size(), arguments.size()));
      }
      List<Reply<R>> replies = new ArrayList<>(results.size());
      for (R result : results) {
        replies.add(new Reply.Result<>(replies.size(), result));
      }
      return CompletableFuture.completedFuture(replies);
    };
  }
}
