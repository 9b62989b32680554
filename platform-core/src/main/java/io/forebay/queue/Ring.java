/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.zip.CRC32C;

/**
 * The bytes of one partition: frames, one behind the other, in segments of equal size that are made
 * when first needed and used again once everything in them has been freed.
 *
 * <p>An address counts all bytes ever written; it only grows. A frame begins at a multiple of 16
 * with checksum (4), length (4) and number (8), so its header never crosses segments; its payload
 * may. The checksum is CRC32C over everything behind it.
 *
 * <p>One thread at a time writes. Readers take no lock: they copy, then ask {@link #freed} whether
 * what they copied may have been written over meanwhile, as with a sequence lock whose counter is
 * the first address kept.
 */
final class Ring {

  static final int HEADER_BYTES = 16;
  static final int SEGMENT_BYTES = 1 << 18;

  /** Where the checksummed part of a header begins. */
  static final int CHECKED_FROM = 4;

  private static final int LENGTH = 4;
  private static final int NUMBER = 8;
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final CRC32C crc = new CRC32C();
  private final byte[][] segments;
  private final int mask;

  /** By slot: the frame that covers the first byte of the segment, to seek from. */
  private final long[] markNumbers;

  private final long[] markAddresses;
  private long oldest;
  private long newest = -1;
  private volatile long first;
  private volatile long end;

  Ring(long capacity) {
    long most = capacity / SEGMENT_BYTES + 2;
    int slots = Math.toIntExact(Long.highestOneBit(most - 1) << 1);
    segments = new byte[slots][];
    markNumbers = new long[slots];
    markAddresses = new long[slots];
    mask = slots - 1;
  }

  static long frameBytes(int length) {
    return HEADER_BYTES + (length + 15L & ~15L);
  }

  long end() {
    return end;
  }

  long used() {
    long from = first;
    return end - from;
  }

  /** Whether a frame is no longer kept; what was read of it before this call is then worthless. */
  boolean freed(long address) {
    VarHandle.acquireFence();
    return first > address;
  }

  /** Gives up everything before an address. For one thread at a time, not only the writer. */
  void freeTo(long address) {
    first = address;
  }

  int checksumAt(long address) {
    return (int) INT.get(segment(address), offset(address));
  }

  int lengthAt(long address) {
    return (int) INT.get(segment(address), offset(address) + LENGTH);
  }

  long numberAt(long address) {
    return (long) LONG.get(segment(address), offset(address) + NUMBER);
  }

  /** Copies from the frames at {@code address}, which may be freed meanwhile. */
  void copy(long address, byte[] target, int length) {
    int done = 0;
    while (done < length) {
      int offset = offset(address + done);
      int n = Math.min(length - done, SEGMENT_BYTES - offset);
      System.arraycopy(segment(address + done), offset, target, done, n);
      done += n;
    }
  }

  /** Writes a frame at the end. The caller has made sure that there is room. */
  void append(long number, ByteBuffer message) {
    int length = message.remaining();
    long address = end;
    long behind = address + frameBytes(length);
    claim(behind, number, address);
    VarHandle.releaseFence();
    byte[] segment = segment(address);
    int offset = offset(address);
    INT.set(segment, offset + LENGTH, length);
    LONG.set(segment, offset + NUMBER, number);
    crc.reset();
    crc.update(segment, offset + CHECKED_FROM, HEADER_BYTES - CHECKED_FROM);
    copyIn(address + HEADER_BYTES, message, length);
    INT.set(segment, offset, (int) crc.getValue());
    end = behind;
  }

  private void copyIn(long address, ByteBuffer message, int length) {
    int from = message.position();
    int done = 0;
    while (done < length) {
      byte[] segment = segment(address + done);
      int offset = offset(address + done);
      int n = Math.min(length - done, SEGMENT_BYTES - offset);
      message.get(from + done, segment, offset, n);
      crc.update(segment, offset, n);
      done += n;
    }
  }

  /** Makes room up to an address; the frame that needs it marks the segments it comes to cover. */
  private void claim(long behind, long number, long address) {
    long needed = (behind - 1) / SEGMENT_BYTES;
    while (newest < needed) {
      byte[] segment;
      if (oldest < first / SEGMENT_BYTES) {
        segment = segments[slot(oldest)];
        oldest++;
      } else {
        segment = new byte[SEGMENT_BYTES];
      }
      newest++;
      segments[slot(newest)] = segment;
      markNumbers[slot(newest)] = number;
      markAddresses[slot(newest)] = address;
    }
  }

  /** The segment to seek a number from: the last whose mark is not behind it. For the writer. */
  long segmentBefore(long number) {
    long low = Math.max(oldest, first / SEGMENT_BYTES);
    long high = newest;
    while (low < high) {
      long middle = (low + high + 1) >>> 1;
      if (markNumbers[slot(middle)] <= number) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    return low;
  }

  long markedNumber(long segment) {
    return markNumbers[slot(segment)];
  }

  long markedAddress(long segment) {
    return markAddresses[slot(segment)];
  }

  byte[] segment(long address) {
    return segments[slot(address / SEGMENT_BYTES)];
  }

  private int slot(long segment) {
    return (int) segment & mask;
  }

  private static int offset(long address) {
    return (int) (address & (SEGMENT_BYTES - 1));
  }
}
