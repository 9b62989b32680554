/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** Computes length and CRC32C of a message as one number. Not thread-safe; allocates nothing. */
public final class Checksum {

  private final CRC32C crc = new CRC32C();

  /** The buffer's position and limit are not changed. */
  public long of(ByteBuffer message) {
    int position = message.position();
    crc.reset();
    crc.update(message);
    message.position(position);
    return (long) message.remaining() << 32 | crc.getValue();
  }
}
