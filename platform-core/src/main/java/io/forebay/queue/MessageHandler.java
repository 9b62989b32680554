/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.nio.ByteBuffer;

/**
 * Handles one message: the big-endian bytes from the buffer's position to its limit. The buffer is
 * valid only during the call. The handler may move position and limit but must not change the
 * content.
 */
@FunctionalInterface
public interface MessageHandler {
  void handle(long position, ByteBuffer message);
}
