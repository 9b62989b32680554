/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.nio.ByteBuffer;

/**
 * Takes one message: the big-endian bytes from the buffer's position to its limit. The buffer is
 * valid only during the call; its content is read-only by agreement, position and limit may be
 * moved.
 */
@FunctionalInterface
public interface MessageHandler {
  void handle(long position, ByteBuffer message);
}
