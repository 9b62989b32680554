/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

/** The messages in a queue of chunks; see docs/jobs.md. Each call is one message. */
interface ChunkCalls {

  /**
   * @param arguments JSON in UTF-8, as defined by {@link ChunkCodec}
   */
  void perform(byte[] arguments);
}
