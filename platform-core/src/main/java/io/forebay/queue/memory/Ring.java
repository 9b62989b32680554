/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;

/**
 * The bytes of one partition: consecutive frames in segments of equal size. A segment is allocated
 * when first needed and reused once everything in it has been freed.
 *
 * <p>An address counts all bytes ever written; it never decreases. A frame begins at a multiple of
 * 16 with checksum (4), length (4) and number (8), so its header never crosses segments; its
 * payload may. The checksum is CRC32C over everything behind it.
 *
 * <p>One thread at a time writes, and one at a time frees. Readers take no lock: they copy, then
 * ask {@link #freed} whether the copied bytes may have been overwritten in the meantime. This is a
 * sequence lock whose counter is the first address kept.
 */
public final class Ring {

  public static final int HEADER_BYTES = 16;
  public static final int SEGMENT_BYTES = 1 << 18;

  /** The offset in a frame where the checksummed part begins. */
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

  private final AtomicLong end = new AtomicLong();
  private final AtomicLong nextNumber = new AtomicLong();
  private final AtomicLong writtenFrames = new AtomicLong();
  private final AtomicLong freedFrames = new AtomicLong();
  private volatile Gaps gaps = Gaps.NONE;

  private volatile long first;

  Ring(long capacity) {
    long most = capacity / SEGMENT_BYTES + 2;
    int slots = Math.toIntExact(Long.highestOneBit(most - 1) << 1);
    segments = new byte[slots][];
    markNumbers = new long[slots];
    markAddresses = new long[slots];
    mask = slots - 1;
  }

  static long frameBytes(int length) {
    return HEADER_BYTES + ((length + 15L) & ~15L);
  }

  /** The address behind the last frame. */
  long end() {
    return end.getAcquire();
  }

  /** The number of the next frame. */
  long nextNumber() {
    return nextNumber.getAcquire();
  }

  /** The number, or the one behind the gap if it lies in a gap. */
  long overGap(long number) {
    return gaps.over(number);
  }

  long usedBytes() {
    long from = first;
    return end() - from;
  }

  long usedFrames() {
    long from = freedFrames.getAcquire();
    return writtenFrames.getAcquire() - from;
  }

  /** The address of the first frame kept. */
  long freedTo() {
    return first;
  }

  /** Whether a frame was freed; if so, what was read of it before this call is invalid. */
  boolean freed(long address) {
    VarHandle.acquireFence();
    return first > address;
  }

  /** Frees all frames before an address; {@code frames} is their number. */
  void free(long address, long frames) {
    freedFrames.setRelease(freedFrames.getPlain() + frames);
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

  void copy(long address, byte[] target, int length) {
    int done = 0;
    while (done < length) {
      int offset = offset(address + done);
      int n = Math.min(length - done, SEGMENT_BYTES - offset);
      System.arraycopy(segment(address + done), offset, target, done, n);
      done += n;
    }
  }

  /**
   * Writes a frame at the end and returns its number. The caller must ensure that there is room.
   */
  long append(ByteBuffer message) {
    int length = message.remaining();
    long number = nextNumber.getPlain();
    long address = end.getPlain();
    long behind = address + frameBytes(length);
    claim(behind, number, address);
    // Pairs with the fence in freed(): a reader that sees the bytes written below also sees what
    // was freed for them.
    VarHandle.releaseFence();
    byte[] segment = segment(address);
    int offset = offset(address);
    INT.set(segment, offset + LENGTH, length);
    LONG.set(segment, offset + NUMBER, number);
    copyIn(address + HEADER_BYTES, message, length);
    INT.set(
        segment, offset, checksum(address + CHECKED_FROM, length + HEADER_BYTES - CHECKED_FROM));
    writtenFrames.setRelease(writtenFrames.getPlain() + 1);
    end.setRelease(behind);
    nextNumber.setRelease(number + 1);
    return number;
  }

  private void copyIn(long address, ByteBuffer message, int length) {
    int from = message.position();
    int done = 0;
    while (done < length) {
      byte[] segment = segment(address + done);
      int offset = offset(address + done);
      int n = Math.min(length - done, SEGMENT_BYTES - offset);
      message.get(from + done, segment, offset, n);
      done += n;
    }
  }

  private int checksum(long address, int length) {
    crc.reset();
    int done = 0;
    while (done < length) {
      int offset = offset(address + done);
      int n = Math.min(length - done, SEGMENT_BYTES - offset);
      crc.update(segment(address + done), offset, n);
      done += n;
    }
    return (int) crc.getValue();
  }

  /** Sets the number of the next frame; it must not be below the current one. For the writer. */
  void skipTo(long number) {
    long from = nextNumber.getPlain();
    if (number > from) {
      gaps = gaps.and(from, number);
      nextNumber.setRelease(number);
    }
  }

  /** Allocates segments up to an address and marks those that begin inside this frame. */
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

  /**
   * Places a cursor before a frame at or close before the given number; that frame may have been
   * freed. For the writer, if there is a frame.
   */
  void moveNear(long number, FrameCursor cursor) {
    long low = Math.min(newest, Math.max(oldest, first / SEGMENT_BYTES));
    long high = newest;
    while (low < high) {
      long middle = (low + high + 1) >>> 1;
      if (markNumbers[slot(middle)] <= number) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    cursor.moveTo(markAddresses[slot(low)], markNumbers[slot(low)]);
  }

  /** Places a cursor behind the last frame. For the writer. */
  void moveToEnd(FrameCursor cursor) {
    cursor.moveTo(end.getPlain(), nextNumber.getPlain());
  }

  public byte[] segment(long address) {
    return segments[slot(address / SEGMENT_BYTES)];
  }

  private int slot(long segment) {
    return (int) segment & mask;
  }

  static int offset(long address) {
    return (int) (address & (SEGMENT_BYTES - 1));
  }
}
