/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a chunk: a reply or null for each call, in the order of the calls; or no replies
 * but the trouble that all calls share.
 */
record ChunkOutcome<R extends @Nullable Object>(
    List<@Nullable Reply<R>> replies, @Nullable Trouble trouble) {

  static <R extends @Nullable Object> ChunkOutcome<R> failed(Trouble trouble) {
    return new ChunkOutcome<>(List.of(), trouble);
  }

  static <R extends @Nullable Object> ChunkOutcome<R> failed(Throwable failure) {
    Throwable cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return failed(
        cause instanceof InvalidReply
            ? invalid(String.valueOf(cause.getMessage()), null)
            : new Trouble(
                CallFailed.Reason.CHUNK_FAILED,
                "the chunk failed; its calls may have been performed, unless the cause says that they were not",
                cause));
  }

  /** Puts replies into the order of the calls; returns a failure if that is impossible. */
  static <R extends @Nullable Object> ChunkOutcome<R> of(
      @Nullable List<? extends @Nullable Reply<R>> given, int calls) {
    try {
      return new ChunkOutcome<>(inOrder(given, calls), null);
    } catch (InvalidReply e) {
      return failed(e);
    } catch (RuntimeException e) {
      return failed(invalid("the list of replies cannot be read", e));
    }
  }

  private static <R extends @Nullable Object> List<@Nullable Reply<R>> inOrder(
      @Nullable List<? extends @Nullable Reply<R>> given, int calls) throws InvalidReply {
    if (given == null) {
      throw new InvalidReply("the list of replies is null");
    }
    List<@Nullable Reply<R>> replies = new ArrayList<>(Collections.nCopies(calls, null));
    for (Reply<R> reply : given) {
      if (reply == null) {
        throw new InvalidReply("a reply is null");
      }
      int index = reply.index();
      if (index < 0 || index >= calls) {
        throw new InvalidReply(
            "a reply has the index %,d; 0 to %,d are allowed".formatted(index, calls - 1));
      }
      if (replies.set(index, reply) != null) {
        throw new InvalidReply("two replies have the index %,d".formatted(index));
      }
    }
    return replies;
  }

  private static Trouble invalid(String what, @Nullable Throwable cause) {
    return new Trouble(
        CallFailed.Reason.INVALID_REPLY,
        what + "; the whole chunk failed, and its calls may or may not have been performed",
        cause);
  }
}
