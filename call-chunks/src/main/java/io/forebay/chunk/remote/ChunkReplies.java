/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

/**
 * The answer to a chunk in the out-queue: one of these, or nothing if the chunk could not be
 * decoded.
 */
interface ChunkReplies {

  /**
   * @param replies JSON in UTF-8, as defined by {@link ChunkCodec}
   */
  void replied(byte[] replies);

  /** The chunk failed as a whole; see {@link ServiceFailed}. */
  void failed(String code, String message);
}
