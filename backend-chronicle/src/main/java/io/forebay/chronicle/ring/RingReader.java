/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.ring;

import io.forebay.chronicle.file.StoredFrame;
import java.nio.ByteBuffer;

/** Reads messages from the ring of a partition before they are in its file. For one thread. */
public final class RingReader {

  private static final long NONE = -1;

  private final Ring ring;
  private final StoredFrame frame = new StoredFrame();

  /** The message read last, where its frame is, and where the next one is. */
  private long number = NONE;

  private long at;
  private long next;

  public RingReader(Ring ring) {
    this.ring = ring;
  }

  /**
   * Copies a message.
   *
   * @return false if it is no longer in the ring; then it is in the file
   */
  public boolean read(long wanted) {
    long place;
    if (wanted == number + 1 && number != NONE) {
      place = next;
    } else if (wanted == number) {
      place = at;
    } else {
      place = find(wanted);
    }
    if (place == NONE) {
      return false;
    }
    long end = ring.tail();
    boolean good = ring.copy(place, end, frame) && frame.number() == wanted;
    if (!ring.isKept(place) || !good) {
      number = NONE;
      return false;
    }
    number = wanted;
    at = place;
    next = place + Ring.recordBytes(frame.length());
    return true;
  }

  /** Walks from the oldest frame on. */
  private long find(long wanted) {
    long end = ring.tail();
    long place = ring.head();
    while (place < end) {
      long bytes = ring.recordAt(place, end);
      long found = bytes < 0 ? NONE : ring.numberAt(place);
      if (!ring.isKept(place)) {
        place = ring.head();
      } else if (found == wanted) {
        return place;
      } else if (bytes < 0 || found > wanted) {
        return NONE;
      } else {
        place += bytes;
      }
    }
    return NONE;
  }

  /** The message read last; every call returns the same buffer. */
  public ByteBuffer payload() {
    return frame.payload();
  }
}
