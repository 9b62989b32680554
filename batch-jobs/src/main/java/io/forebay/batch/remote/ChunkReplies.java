/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.remote;

/** What answers a chunk in the out-queue: one of these, or nothing if it could not be decoded. */
interface ChunkReplies {

  /**
   * @param replies JSON in UTF-8, as {@link ChunkCodec} says
   */
  void replied(byte[] replies);

  /** The chunk failed as a whole; see {@link ServiceFailed}. */
  void failed(String code, String message);
}
