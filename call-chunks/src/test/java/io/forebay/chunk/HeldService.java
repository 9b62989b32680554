/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** An asynchronous service that answers on command. The right result is ten times the argument. */
final class HeldService implements ChunkFunction<Integer, Integer> {

  private final LinkedBlockingQueue<Held> held = new LinkedBlockingQueue<>();

  record Held(List<Integer> arguments, CompletableFuture<List<Reply<Integer>>> answer) {

    void succeed() {
      answer.complete(replies());
    }

    List<Reply<Integer>> replies() {
      List<Reply<Integer>> replies = new ArrayList<>();
      for (int argument : arguments) {
        replies.add(new Reply.Result<>(replies.size(), 10 * argument));
      }
      return replies;
    }
  }

  @Override
  public CompletionStage<List<Reply<Integer>>> perform(List<Integer> arguments) {
    Held chunk = new Held(arguments, new CompletableFuture<>());
    held.add(chunk);
    return chunk.answer();
  }

  /** The next chunk that was sent; it must come although the clock does not advance. */
  Held next() throws InterruptedException {
    Held chunk = held.poll(120, TimeUnit.SECONDS);
    assertThat(chunk).as("a chunk that leaves").isNotNull();
    return chunk;
  }

  boolean hasNone() {
    return held.isEmpty();
  }
}
