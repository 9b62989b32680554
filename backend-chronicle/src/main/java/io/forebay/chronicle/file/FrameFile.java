/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import net.openhft.chronicle.wire.Wires;

/**
 * Reads the frames of one file while its service may append to it or delete it. It opens the file
 * for reading only and uses nothing of Chronicle but the layout of its documents: Chronicle's own
 * reader opens further files, and waits for locks. Skips damaged frames. For one thread.
 */
public final class FrameFile implements AutoCloseable {

  private static final VarHandle HEADER = ValueLayout.JAVA_INT.varHandle();

  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  /**
   * Within this distance of any place in the written part, a frame begins: the largest frame and
   * Chronicle's own documents are shorter.
   */
  private static final long NEAREST = 4L << 20;

  /** The stretch that a search reads frame by frame. */
  private static final int SHORT = 64 << 10;

  private static final MemorySegment ZEROS = MemorySegment.ofArray(new byte[SHORT]).asReadOnly();

  private final FileChannel channel;
  private final StoredFrame frame = new StoredFrame();
  private Arena arena = Arena.ofConfined();
  private MemorySegment file = MemorySegment.NULL;
  private long at;
  private long start;
  private long following = -1;

  /**
   * @throws java.nio.file.NoSuchFileException if it was deleted
   */
  public FrameFile(Path path) throws IOException {
    channel = FileChannel.open(path, StandardOpenOption.READ);
    try {
      map();
    } catch (Throwable e) {
      close();
      throw e;
    }
  }

  /** Maps what the file has grown by; a deleted file can still be read. */
  private boolean map() throws IOException {
    long size = channel.size();
    if (size <= file.byteSize()) {
      return false;
    }
    Arena next = Arena.ofConfined();
    try {
      file = channel.map(FileChannel.MapMode.READ_ONLY, 0, size, next);
    } catch (Throwable e) {
      next.close();
      throw e;
    }
    arena.close();
    arena = next;
    return true;
  }

  /**
   * Moves to the next good frame.
   *
   * @return false if there is none yet
   */
  public boolean next() throws IOException {
    while (has(at, Integer.BYTES)) {
      int header = (int) HEADER.getAcquire(file, at);
      if (header == Wires.NOT_INITIALIZED || (header & Wires.NOT_COMPLETE) != 0) {
        return false;
      }
      long behind = behind(at, header & Wires.LENGTH_MASK);
      if ((header & Wires.META_DATA) != 0 && has(at, behind - at)) {
        at = behind;
      } else if (isFrame(at)) {
        found(at);
        return true;
      } else if (!finds(at + Integer.BYTES, file.byteSize())) {
        at = Math.min(behind, file.byteSize());
      } else {
        return true;
      }
    }
    return false;
  }

  /**
   * Moves to the next good frame behind a hole of at most a few MiB. Chronicle ends a file that it
   * no longer appends to, but a host that lost power may leave a hole in it.
   *
   * @return false if there is none
   */
  public boolean nextBehindHole() throws IOException {
    long hole = at;
    if (!has(hole, Integer.BYTES)
        || (int) HEADER.getAcquire(file, hole) == Wires.END_OF_DATA
        || !finds(hole, Math.min(file.byteSize(), hole + NEAREST))) {
      return false;
    }
    // The frame at this place may have been finished meanwhile, before the one behind it.
    long behind = start;
    at = hole;
    return next() || finds(behind, file.byteSize());
  }

  /** Makes {@link #next} find the first message at or after a number, or the end of the file. */
  public void seek(long number) throws IOException {
    map();
    long low = 0;
    long high = file.byteSize();
    while (high - low > SHORT) {
      long middle = (low + high) >>> 1 & -Integer.BYTES;
      // Most of a file may be unwritten. If these zeros are the payload of a message, the search
      // only becomes longer: it ends frame by frame.
      long near = Math.min(high, middle + SHORT);
      boolean unwritten = behindZeros(middle, near) == near;
      if (!unwritten
          && finds(middle, Math.min(high, middle + NEAREST))
          && frame.number() < number) {
        low = start;
      } else {
        high = middle;
      }
    }
    at = low;
    do {
      if (!next() && !nextBehindHole()) {
        return;
      }
    } while (following <= number);
    at = start;
  }

  /** Looks for a good frame that begins from one place up to another, and moves to it. */
  private boolean finds(long from, long to) {
    long place = from;
    while (place < to) {
      if (isFrame(place)) {
        found(place);
        return true;
      }
      place += Integer.BYTES;
      if (place + Long.BYTES <= to && file.get(LONG, place) == 0) {
        place = behindZeros(place, to) & -Integer.BYTES;
      }
    }
    return false;
  }

  /** The first place that is not zero, or {@code to}. */
  private long behindZeros(long from, long to) {
    long place = from;
    while (place < to) {
      long size = Math.min(SHORT, to - place);
      long zeros = MemorySegment.mismatch(file, place, place + size, ZEROS, 0, size);
      if (zeros >= 0) {
        return place + zeros;
      }
      place += size;
    }
    return to;
  }

  private void found(long place) {
    start = place;
    at = behind(place, StoredFrame.HEADER_BYTES + frame.length());
    following = isMessage() ? number() + 1 : number();
  }

  private boolean isFrame(long place) {
    if (place + Integer.BYTES + StoredFrame.HEADER_BYTES > file.byteSize()) {
      return false;
    }
    int header = (int) HEADER.getAcquire(file, place);
    int length = header - StoredFrame.HEADER_BYTES; // of a ready document the header is the length
    return length >= 0
        && length <= StoredFrame.MAX_LENGTH
        && place + Integer.BYTES + header <= file.byteSize()
        && frame.read(file, place + Integer.BYTES, length);
  }

  private boolean has(long place, long bytes) throws IOException {
    return place + bytes <= file.byteSize() || (map() && place + bytes <= file.byteSize());
  }

  private static long behind(long place, int length) {
    return place + Integer.BYTES + ((length + 3L) & -4L);
  }

  /** Whether the frame found last is a message; otherwise it only sets the next number. */
  public boolean isMessage() {
    return frame.kind() == StoredFrame.MESSAGE;
  }

  /** Makes {@link #next} find the frame found last again. */
  public void unread() {
    at = start;
  }

  /** The number in the frame found last. */
  public long number() {
    return frame.number();
  }

  /** The number of the next message behind the last good frame; negative if none was found. */
  public long following() {
    return following;
  }

  /** The message found last; every call returns the same buffer. */
  public ByteBuffer payload() {
    return frame.payload();
  }

  @Override
  public void close() {
    arena.close();
    try {
      channel.close();
    } catch (IOException e) {
      // it was only read
    }
  }
}
