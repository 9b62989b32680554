/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.ring;

import io.forebay.chronicle.file.StoredFrame;
import io.forebay.machine.CrashPoint;
import io.forebay.machine.Machine;
import io.forebay.queue.Storage;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.time.Duration;

/**
 * Frames between the appends of one partition and its file, in memory that outlives the process.
 * One thread at a time puts, one at a time takes, any number read. Nothing here allocates.
 *
 * <pre>
 *   4 bytes   how many bytes follow the word of the frame
 *   4 bytes   the checksum of the frame, as in the file
 *   8 bytes   Machine.nanos() of the append
 *   n bytes   the frame: its word and what follows; padded to a multiple of eight
 * </pre>
 *
 * <p>Two counters of bytes that only grow say where the frames are: from <em>head</em> up to
 * <em>tail</em>. The frame is complete before tail moves past it, and it is in the file before head
 * does. A process that dies between leaves either no frame, or one that is in ring and file; its
 * number shows that.
 *
 * <p>A reader copies a frame first and looks at head afterwards: what is behind head then was not
 * overwritten during the copy.
 */
public final class Ring {

  static final int RECORD_BYTES = 16;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final ValueLayout.OfLong WORD = LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  private static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  private static final VarHandle COUNTER = LONG.varHandle();

  /** Two counters in cache lines of their own. */
  private static final long TAIL = 1024;

  private static final long HEAD = 2048;

  private final MemorySegment header;
  private final MemorySegment frames;
  private final long capacity;

  /** Known to the one that puts: its own counter, and a value that head has reached. */
  private long tail;

  private long passed;

  /** Known to the one that takes: where the frame behind {@link #peek} ends. */
  private long next;

  private volatile long highWater;

  /**
   * @param header at least 4 KiB
   * @param frames as many bytes as a power of two
   */
  Ring(MemorySegment header, MemorySegment frames) {
    this.header = header;
    this.frames = frames;
    capacity = frames.byteSize();
    tail = tail();
    passed = head();
  }

  /** Whether the counters can be right. */
  boolean isPossible() {
    long from = head();
    long to = tail();
    return from >= 0 && from <= to && to - from <= capacity && ((from | to) & 7) == 0;
  }

  static long recordBytes(int length) {
    return RECORD_BYTES + ((StoredFrame.WORD_BYTES + length + 7L) & ~7L);
  }

  /** Whether a frame fits at all; half of the ring, so that it does not wait for an empty one. */
  public boolean takes(StoredFrame frame) {
    return recordBytes(frame.length()) <= capacity / 2;
  }

  long head() {
    return (long) COUNTER.getAcquire(header, HEAD);
  }

  long tail() {
    return (long) COUNTER.getAcquire(header, TAIL);
  }

  /** The bytes of the frames that are not in the file yet. */
  public long used() {
    long from = head();
    return Math.max(0, tail() - from);
  }

  public boolean isHalfFull() {
    return used() > capacity / 2;
  }

  public Storage.Ring stats() {
    return new Storage.Ring(capacity, used(), highWater, Duration.ofNanos(lagNanos()));
  }

  /** The age of the oldest frame that is not in the file yet; 0 if there is none. */
  private long lagNanos() {
    long from = head();
    if (from >= tail()) {
      return 0;
    }
    long appended = frames.get(LONG, place(from + Long.BYTES));
    return head() == from ? Math.max(0, Machine.nanos() - appended) : 0;
  }

  /** Puts a frame; false if there is no room. */
  public boolean offer(StoredFrame frame) {
    long at = tail;
    long end = at + recordBytes(frame.length());
    if (end - passed > capacity) {
      passed = head();
      if (end - passed > capacity) {
        return false;
      }
    }
    frames.set(INT, place(at), frame.length());
    frames.set(INT, place(at + Integer.BYTES), frame.checksum());
    frames.set(LONG, place(at + Long.BYTES), Machine.nanos());
    CrashPoint.hit("ring-before-tail");
    write(at + RECORD_BYTES, frame.bytes(), StoredFrame.WORD_BYTES + frame.length());
    COUNTER.setRelease(header, TAIL, end);
    CrashPoint.hit("ring-after-tail");
    tail = end;
    return true;
  }

  /**
   * Copies the oldest message.
   *
   * @return false if it is damaged
   */
  public boolean peek(StoredFrame into) {
    long at = head();
    boolean good = copy(at, tail(), into) && into.kind() == StoredFrame.MESSAGE;
    next = good ? at + recordBytes(into.length()) : at;
    return good;
  }

  /** Releases the frame copied by {@link #peek}, which is in the file now. */
  public void release() {
    CrashPoint.hit("ring-before-head");
    COUNTER.setRelease(header, HEAD, next);
    CrashPoint.hit("ring-after-head");
  }

  /** Notes how full it is; called now and then before the oldest messages are taken. */
  public void measure() {
    highWater = Math.max(highWater, used());
  }

  /** The size of the record at a place, or -1 if none can be there. */
  long recordAt(long at, long end) {
    if (end - at < RECORD_BYTES + Long.BYTES) {
      return -1;
    }
    int length = frames.get(INT, place(at));
    if (length < 0 || length > StoredFrame.MAX_LENGTH) {
      return -1;
    }
    long bytes = recordBytes(length);
    return bytes <= end - at ? bytes : -1;
  }

  /** The number of the frame at a place. */
  long numberAt(long at) {
    return frames.get(WORD, place(at + RECORD_BYTES)) & StoredFrame.MAX_NUMBER;
  }

  /**
   * Copies the frame at a place.
   *
   * @return whether it is good
   */
  boolean copy(long at, long end, StoredFrame into) {
    if (recordAt(at, end) < 0) {
      return false;
    }
    // Read again: the one that puts may have overwritten it meanwhile.
    int length = frames.get(INT, place(at));
    if (length < 0 || length > StoredFrame.MAX_LENGTH) {
      return false;
    }
    int checksum = frames.get(INT, place(at + Integer.BYTES));
    into.room(length);
    read(at + RECORD_BYTES, into.bytes(), StoredFrame.WORD_BYTES + length);
    return into.isGood(checksum);
  }

  /** Whether the frame at a place was not overwritten before this call. */
  boolean isKept(long at) {
    VarHandle.acquireFence();
    return (long) COUNTER.getVolatile(header, HEAD) <= at;
  }

  private long place(long at) {
    return at & capacity - 1;
  }

  private void write(long at, byte[] bytes, int count) {
    long place = place(at);
    int first = (int) Math.min(count, capacity - place);
    MemorySegment.copy(bytes, 0, frames, BYTE, place, first);
    if (first < count) {
      MemorySegment.copy(bytes, first, frames, BYTE, 0, count - first);
    }
  }

  private void read(long at, byte[] bytes, int count) {
    long place = place(at);
    int first = (int) Math.min(count, capacity - place);
    MemorySegment.copy(frames, BYTE, place, bytes, 0, first);
    if (first < count) {
      MemorySegment.copy(frames, BYTE, 0, bytes, first, count - first);
    }
  }
}
