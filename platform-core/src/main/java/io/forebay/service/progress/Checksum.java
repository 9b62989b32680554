/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

import io.forebay.queue.sender.UnprovenSender;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Computes length and CRC32C of a message as one number, as it was written: whether its sender is
 * proven can change with the keys. Not thread-safe; allocates nothing.
 */
public final class Checksum {

  private final CRC32C crc = new CRC32C();

  /** The buffer's position and limit are not changed. */
  public long of(ByteBuffer message) {
    int position = message.position();
    int mark = UnprovenSender.at(message);
    crc.reset();
    if (mark >= 0) {
      int limit = message.limit();
      crc.update(message.limit(mark));
      crc.update(0);
      message.limit(limit).position(mark + 1);
    }
    crc.update(message);
    message.position(position);
    return (long) message.remaining() << 32 | crc.getValue();
  }
}
