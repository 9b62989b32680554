/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.remote;

/** What stands in a queue of chunks; see docs/chunks.md. A call is a message. */
interface ChunkCalls {

  /**
   * @param arguments JSON in UTF-8, as {@link ChunkCodec} says
   */
  void perform(byte[] arguments);
}
