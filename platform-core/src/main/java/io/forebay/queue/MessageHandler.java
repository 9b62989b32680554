/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.nio.ByteBuffer;

/** Takes one message. The buffer is read-only by agreement and valid only during the call. */
@FunctionalInterface
public interface MessageHandler {
  void handle(long position, ByteBuffer message);
}
