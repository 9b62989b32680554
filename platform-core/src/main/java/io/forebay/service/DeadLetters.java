/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.call.UndecodableMessage;
import java.nio.ByteBuffer;

/** Takes messages that are whole but cannot be decoded. A component may implement it. */
@FunctionalInterface
public interface DeadLetters {

  /**
   * Keeps the message. When it throws, the partition fails; when it returns, the service goes on.
   *
   * @param message valid only during the call
   */
  void deadLetter(int partition, long position, ByteBuffer message, UndecodableMessage reason);
}
