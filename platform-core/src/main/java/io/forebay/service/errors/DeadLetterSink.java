/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.errors;

import io.forebay.call.UndecodableMessage;
import java.nio.ByteBuffer;

/** Stores messages that are undamaged but cannot be decoded. A component may implement it. */
@FunctionalInterface
public interface DeadLetterSink {

  /**
   * Stores the message. If it throws, the partition fails; when it returns, the service continues.
   *
   * @param message valid only during the call
   */
  void deadLetter(int partition, long position, ByteBuffer message, UndecodableMessage reason);
}
