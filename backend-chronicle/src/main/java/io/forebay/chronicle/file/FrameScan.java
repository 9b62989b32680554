/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.io.IOException;
import java.nio.file.Path;
import net.openhft.chronicle.wire.Wires;
import org.jspecify.annotations.Nullable;

/**
 * Finds the good frames of one file from its bytes alone. It needs no header, index or chain of
 * documents, so it continues behind a hole, where Chronicle's reader stops. It opens the file for
 * reading only, and waits for no lock. For one thread.
 *
 * <p>Of a file that is not written to, {@link #next} finds all frames. While a service may append
 * to the file or delete it, use {@link #nextWritten}.
 */
public final class FrameScan implements AutoCloseable {

  /** There are no more frames. */
  public static final int NOTHING = 0;

  /** What {@link #unknown} describes is intact. */
  static final String UNKNOWN = "something that this version cannot read";

  /**
   * Within this distance of any place in the written part, a frame begins: the largest frame and
   * Chronicle's own documents are shorter.
   */
  private static final long NEAREST = 4L << 20;

  /** The stretch that a search reads frame by frame. */
  private static final int SHORT = 64 << 10;

  private final FrameBytes bytes;
  private final StoredFrame frame = new StoredFrame();

  /** Where the search for the next frame begins. */
  private long end;

  /** The start of the last good frame. */
  private long start;

  /** The end of the good frame before the last. */
  private long previousEnd;

  private long following = -1;

  /**
   * @throws java.nio.file.NoSuchFileException if it was deleted
   */
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
    if (finds(end, bytes.size())) {
      return frame.kind();
    }
    start = bytes.size();
    return NOTHING;
  }

  /** Moves to the first good frame in the first few MiB of the file; false if there is none. */
  boolean first() throws IOException {
    return finds(0, Math.min(bytes.size(), NEAREST));
  }

  /**
   * How many damaged documents stand before the frame found first; −1 if the headers before it do
   * not lead to it.
   */
  int damagedBefore() throws IOException {
    int damaged = 0;
    long at = 0;
    while (at < start && FrameBytes.isReady(bytes.header(at))) {
      int header = bytes.header(at);
      damaged += FrameBytes.isReadyMetaData(header) ? 0 : 1;
      at = FrameBytes.behind(at, header);
    }
    return at == start ? damaged : -1;
  }

  /**
   * Moves to the next good frame up to the place where the service writes next.
   *
   * @return false if there is none yet
   */
  public boolean nextWritten() throws IOException {
    while (has(end, Integer.BYTES)) {
      int header = newest(end);
      if (!FrameBytes.isReady(header)) {
        return false;
      }
      long behind = FrameBytes.behind(end, header);
      if (FrameBytes.isReadyMetaData(header) && has(end, behind - end)) {
        end = behind;
      } else if (begins(end) || finds(end + Integer.BYTES, bytes.size())) {
        return true;
      } else {
        end = Math.min(behind, bytes.size());
      }
    }
    return false;
  }

  /** The header at a place, which may have become ready meanwhile. */
  private int newest(long place) throws IOException {
    int header = bytes.header(place);
    if (!FrameBytes.isReady(header)) {
      bytes.forget();
      header = bytes.header(place);
    }
    return header;
  }

  /** The rest of a frame may have been read before it was written, and its header afterwards. */
  private boolean begins(long place) throws IOException {
    if (finds(place, place + 1)) {
      return true;
    }
    bytes.forget();
    return finds(place, place + 1);
  }

  /**
   * Moves to the next good frame behind a hole of at most a few MiB. Chronicle ends a file that it
   * no longer appends to, but a host that lost power may leave a hole in it.
   *
   * @return false if there is none
   */
  public boolean nextBehindHole() throws IOException {
    long hole = end;
    if (!has(hole, Integer.BYTES)
        || bytes.header(hole) == Wires.END_OF_DATA
        || !finds(hole, Math.min(bytes.size(), hole + NEAREST))) {
      return false;
    }
    // The frame at this place may have been finished meanwhile, before the one behind it.
    long behind = start;
    end = hole;
    return nextWritten() || finds(behind, bytes.size());
  }

  /** Makes {@link #nextWritten} find the first message at or after a number, or the end. */
  public void seek(long number) throws IOException {
    bytes.grow();
    bytes.forget();
    long low = 0;
    long high = bytes.size();
    while (high - low > SHORT) {
      long middle = (low + high) >>> 1 & -Integer.BYTES;
      // Most of a file may be unwritten. If these zeros are the payload of a message, the search
      // only becomes longer: it ends frame by frame.
      long near = Math.min(high, middle + SHORT);
      boolean unwritten = bytes.behindZeros(middle, near) == near;
      if (!unwritten
          && finds(middle, Math.min(high, middle + NEAREST))
          && frame.number() < number) {
        low = start;
      } else {
        high = middle;
      }
    }
    end = low;
    do {
      if (!nextWritten() && !nextBehindHole()) {
        return;
      }
    } while (following <= number);
    unread();
  }

  /** Makes {@link #nextWritten} find the frame found last again. */
  public void unread() {
    end = start;
  }

  /** Looks for a good frame that begins from one place up to another, and moves to it. */
  private boolean finds(long from, long to) throws IOException {
    long place = bytes.find(frame, from, to);
    if (place < 0) {
      return false;
    }
    start = place;
    end = FrameBytes.behind(place, StoredFrame.HEADER_BYTES + frame.length());
    following = frame.following();
    return true;
  }

  private boolean has(long place, long count) throws IOException {
    return place + count <= bytes.size() || (bytes.grow() && place + count <= bytes.size());
  }

  /** The frame found last; every call returns the same buffer. */
  public StoredFrame frame() {
    return frame;
  }

  /** The number of the next message behind the last good frame; negative if none was found. */
  public long following() {
    return following;
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
