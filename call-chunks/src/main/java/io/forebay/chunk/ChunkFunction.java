/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import io.forebay.trace.TraceParent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Performs the calls of a chunk together. A transport implements it.
 *
 * <p>Each chunk is performed on its own virtual thread. A blocking transport returns a completed
 * stage; any other completes the stage later on any thread. As many chunks as the options allow are
 * performed at the same time, so an implementation must be thread-safe. When a chunk times out, its
 * thread is interrupted, and the stage is cancelled if it is a {@link java.util.concurrent.Future}.
 *
 * <p>It must not call a service of a collector: that chunk could wait for this one. Such a call
 * throws {@link IllegalStateException}.
 */
@FunctionalInterface
public interface ChunkFunction<A, R extends @Nullable Object> {

  /**
   * Performs calls.
   *
   * @param arguments one per call, in the order in which the calls were made; unmodifiable
   * @return one reply per call. A call without one fails with {@link
   *     CallFailed.Reason#NOT_ANSWERED}; if an index is out of range or comes twice, all calls of
   *     the chunk fail with {@link CallFailed.Reason#INVALID_REPLY}
   * @throws Exception fails all calls of the chunk with {@link CallFailed.Reason#CHUNK_FAILED}, as
   *     does a stage that is completed exceptionally
   */
  CompletionStage<List<Reply<R>>> perform(List<A> arguments) throws Exception;

  /**
   * The trace that a transport sends with the chunk which this thread performs: that of its first
   * call with a trace; null if there is none.
   */
  static @Nullable TraceParent trace() {
    return CallChunk.PERFORMING.isBound() ? CallChunk.PERFORMING.get().trace() : null;
  }

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
   * Adapts a function that returns results in the order of the calls. If the number of results
   * differs from the number of calls, they cannot be matched, and all calls of the chunk fail with
   * {@link CallFailed.Reason#INVALID_REPLY}.
   */
  static <A, R extends @Nullable Object> ChunkFunction<A, R> inOrder(InOrder<A, R> function) {
    return arguments -> {
      List<R> results = function.perform(arguments);
      if (results.size() != arguments.size()) {
        throw new InvalidReply(
            "%,d results for %,d calls".formatted(results.size(), arguments.size()));
      }
      List<Reply<R>> replies = new ArrayList<>(results.size());
      for (R result : results) {
        replies.add(new Reply.Result<>(replies.size(), result));
      }
      return CompletableFuture.completedFuture(replies);
    };
  }
}
