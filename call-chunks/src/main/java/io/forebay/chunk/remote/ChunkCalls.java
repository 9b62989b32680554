/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The messages in a queue of chunks; see docs/jobs.md. Each call is one message. */
interface ChunkCalls {

  /**
   * @param arguments JSON in UTF-8, as defined by {@link ChunkCodec}
   */
  CompletableFuture<Answer> perform(byte[] arguments);

  /**
   * The replies to a chunk, or why it failed as a whole; see {@link ServiceFailed}.
   *
   * @param replies JSON in UTF-8, as defined by {@link ChunkCodec}; null if it failed
   * @param code null if it was performed
   * @param text null if it was performed
   */
  record Answer(byte @Nullable [] replies, @Nullable String code, @Nullable String text) {}
}
