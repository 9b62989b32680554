/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import io.forebay.queue.Capabilities;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * A place between two frames of a ring, with a copy of the frame that follows it. Not thread-safe.
 */
final class FrameCursor {

  /** What a cursor found at its place. */
  enum Found {
    MESSAGE,
    END,
    FREED,
    DAMAGED
  }

  private static final int LEAST_FRAME_BYTES = 1024;

  private final Ring ring;
  private final CRC32C crc = new CRC32C();
  private byte[] frame = new byte[0];
  private ByteBuffer payload = ByteBuffer.wrap(frame);
  private long address;
  private long position;
  private int length;

  FrameCursor(Ring ring) {
    this.ring = ring;
  }

  void moveTo(long newAddress, long newPosition) {
    address = newAddress;
    position = newPosition;
  }

  void moveTo(FrameCursor other) {
    moveTo(other.address, other.position);
  }

  long address() {
    return address;
  }

  long position() {
    return ring.overGap(position);
  }

  /** Reads the number and the length from the frame's header; does not verify the checksum. */
  Found look() {
    long end = ring.end();
    if (address == end) {
      return Found.END;
    }
    int lengthThere = ring.lengthAt(address);
    long number = ring.numberAt(address);
    if (ring.freed(address)) {
      return Found.FREED;
    }
    if (number != position()
        || lengthThere < 0
        || lengthThere > Capabilities.MAX_MESSAGE_BYTES
        || address + Ring.frameBytes(lengthThere) > end) {
      return Found.DAMAGED;
    }
    position = number;
    length = lengthThere;
    return Found.MESSAGE;
  }

  /** Copies the frame and verifies all of it. */
  Found load() {
    Found found = look();
    if (found != Found.MESSAGE) {
      return found;
    }
    int bytes = Ring.HEADER_BYTES + length;
    reserve(bytes);
    int checksum = ring.checksumAt(address);
    ring.copy(address, frame, bytes);
    if (ring.freed(address)) {
      return Found.FREED;
    }
    crc.reset();
    crc.update(frame, Ring.CHECKED_FROM, bytes - Ring.CHECKED_FROM);
    return checksum == (int) crc.getValue() ? Found.MESSAGE : Found.DAMAGED;
  }

  /** The message that {@link #load} found; valid until the next call. */
  ByteBuffer payload() {
    return payload.clear().limit(length).order(ByteOrder.BIG_ENDIAN);
  }

  /** Moves behind the message that was found. */
  void advance() {
    address += Ring.frameBytes(length);
    position++;
  }

  private void reserve(int bytes) {
    if (frame.length < bytes) {
      frame = new byte[Math.max(LEAST_FRAME_BYTES, Integer.highestOneBit(bytes - 1) << 1)];
      payload = ByteBuffer.wrap(frame, Ring.HEADER_BYTES, frame.length - Ring.HEADER_BYTES).slice();
    }
  }
}
