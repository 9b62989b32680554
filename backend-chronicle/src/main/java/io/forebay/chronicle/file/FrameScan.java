/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import net.openhft.chronicle.wire.Wires;

/**
 * Finds the good frames of one file from its bytes alone. It needs no header, index or chain of
 * documents, so it continues behind a hole, where Chronicle's reader stops. For one thread.
 */
public final class FrameScan implements AutoCloseable {

  /** There are no more frames. */
  public static final int NOTHING = 0;

  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment file;
  private final StoredFrame frame = new StoredFrame();

  /** The end of the last good frame. */
  private long end;

  /** The start of the last good frame. */
  private long start;

  /** The end of the good frame before the last. */
  private long previousEnd;

  public FrameScan(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      file = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
    } catch (Throwable e) {
      arena.close();
      throw e;
    }
  }

  /** Whether a file contains any good frame. */
  static boolean findsFrame(Path path) throws IOException {
    try (FrameScan scan = new FrameScan(path)) {
      return scan.next() != NOTHING;
    }
  }

  /**
   * Moves to the next good frame.
   *
   * @return its kind, or {@link #NOTHING}
   */
  public int next() {
    long size = file.byteSize();
    previousEnd = end;
    long at = end;
    while (at + Integer.BYTES + StoredFrame.HEADER_BYTES <= size) {
      int length = length(at);
      if (length < 0) {
        at += at + Long.BYTES <= size && file.get(LONG, at) == 0 ? Long.BYTES : Integer.BYTES;
      } else if (frame.read(file, at + Integer.BYTES, length)) {
        start = at;
        end = behind(at, StoredFrame.HEADER_BYTES + length);
        return frame.kind();
      } else {
        at += Integer.BYTES;
      }
    }
    start = size;
    return NOTHING;
  }

  /**
   * The length stored in the header at this place if a frame may begin there; otherwise negative.
   */
  private int length(long at) {
    int header = file.get(INT, at);
    int length = header - StoredFrame.HEADER_BYTES;
    return Wires.isReadyData(header)
            && length <= StoredFrame.MAX_LENGTH
            && at + Integer.BYTES + header <= file.byteSize()
        ? length
        : -1;
  }

  private static long behind(long at, int length) {
    return at + Integer.BYTES + ((length + 3L) & -4L);
  }

  /** The frame found last; every call returns the same buffer. */
  public StoredFrame frame() {
    return frame;
  }

  /** The end of the frame found last. */
  public long end() {
    return end;
  }

  /**
   * Whether something is lost between the frame found last and the one before it (or the start of
   * the file). Only Chronicle's own documents may stand there.
   */
  boolean isBehindBreak() {
    long at = previousEnd;
    while (at < start) {
      int header = file.get(INT, at);
      if (!Wires.isReadyMetaData(header)) {
        return true;
      }
      at = behind(at, Wires.lengthOf(header));
    }
    return at != start;
  }

  @Override
  public void close() {
    arena.close();
  }
}
