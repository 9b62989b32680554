/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Finds the good frames of one file from its bytes alone. It needs no header, index or chain of
 * documents, so it continues behind a hole, where Chronicle's reader stops. For one thread.
 */
public final class FrameScan implements AutoCloseable {

  /** There are no more frames. */
  public static final int NOTHING = 0;

  /** What {@link #unknown} describes is intact. */
  static final String UNKNOWN = "something that this version cannot read";

  private final FrameBytes bytes;
  private final StoredFrame frame = new StoredFrame();

  /** The end of the last good frame. */
  private long end;

  /** The start of the last good frame. */
  private long start;

  /** The end of the good frame before the last. */
  private long previousEnd;

  public FrameScan(Path path) throws IOException {
    this(path, Host.Read.PLAIN);
  }

  FrameScan(Path path, Host.Read disk) throws IOException {
    bytes = new FrameBytes(path, disk);
  }

  /**
   * Moves to the next good frame.
   *
   * @return its kind, or {@link #NOTHING}
   */
  public int next() throws IOException {
    previousEnd = end;
    long place = bytes.find(frame, end, bytes.size());
    if (place < 0) {
      start = bytes.size();
      return NOTHING;
    }
    start = place;
    end = FrameBytes.behind(place, StoredFrame.HEADER_BYTES + frame.length());
    return frame.kind();
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
  boolean isBehindBreak() throws IOException {
    long at = previousEnd;
    while (at < start) {
      int header = bytes.header(at);
      if (!FrameBytes.isReadyMetaData(header)) {
        return true;
      }
      at = FrameBytes.behind(at, header);
    }
    return at != start;
  }

  /**
   * Describes what stands between the frame found last (or the end of the file) and the one before
   * it if no loss of power explains it: a document that is no frame although no sector of it is
   * missing, or a sector that the disk cannot read. Otherwise null: a loss of power leaves
   * documents with missing sectors.
   */
  @Nullable String unknown() throws IOException {
    String unreadable = bytes.unreadable(previousEnd, start);
    if (unreadable != null) {
      return unreadable;
    }
    long at = previousEnd;
    while (at + Integer.BYTES <= start) {
      int header = bytes.header(at);
      long behind = FrameBytes.behind(at, header);
      if (!FrameBytes.isReady(header) || behind > start) {
        return null;
      }
      if (!FrameBytes.isReadyMetaData(header) && bytes.isComplete(at, behind)) {
        return UNKNOWN;
      }
      at = behind;
    }
    return null;
  }

  @Override
  public void close() {
    bytes.close();
  }
}
