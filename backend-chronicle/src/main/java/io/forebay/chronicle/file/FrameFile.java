/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import net.openhft.chronicle.wire.Wires;

/**
 * Reads the frames of one file while its service may append to it or delete it. It opens the file
 * for reading only; Chronicle's own reader opens further files, and waits for locks. Skips damaged
 * frames. For one thread.
 */
public final class FrameFile implements AutoCloseable {

  /**
   * Within this distance of any place in the written part, a frame begins: the largest frame and
   * Chronicle's own documents are shorter.
   */
  private static final long NEAREST = 4L << 20;

  /** The stretch that a search reads frame by frame. */
  private static final int SHORT = 64 << 10;

  private final FrameBytes bytes;
  private final StoredFrame frame = new StoredFrame();
  private long at;
  private long start;
  private long following = -1;

  /**
   * @throws java.nio.file.NoSuchFileException if it was deleted
   */
  public FrameFile(Path path) throws IOException {
    this(path, Host.Read.PLAIN);
  }

  FrameFile(Path path, Host.Read disk) throws IOException {
    bytes = new FrameBytes(path, disk);
  }

  /**
   * Moves to the next good frame.
   *
   * @return false if there is none yet
   */
  public boolean next() throws IOException {
    while (has(at, Integer.BYTES)) {
      int header = newest(at);
      if (!FrameBytes.isReady(header)) {
        return false;
      }
      long behind = FrameBytes.behind(at, header);
      if (FrameBytes.isReadyMetaData(header) && has(at, behind - at)) {
        at = behind;
      } else if (isFrame(at)) {
        found(at);
        return true;
      } else if (!finds(at + Integer.BYTES, bytes.size())) {
        at = Math.min(behind, bytes.size());
      } else {
        return true;
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
  private boolean isFrame(long place) throws IOException {
    if (bytes.read(frame, place)) {
      return true;
    }
    bytes.forget();
    return bytes.read(frame, place);
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
        || bytes.header(hole) == Wires.END_OF_DATA
        || !finds(hole, Math.min(bytes.size(), hole + NEAREST))) {
      return false;
    }
    // The frame at this place may have been finished meanwhile, before the one behind it.
    long behind = start;
    at = hole;
    return next() || finds(behind, bytes.size());
  }

  /** Makes {@link #next} find the first message at or after a number, or the end of the file. */
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
    at = low;
    do {
      if (!next() && !nextBehindHole()) {
        return;
      }
    } while (following <= number);
    at = start;
  }

  /** Looks for a good frame that begins from one place up to another, and moves to it. */
  private boolean finds(long from, long to) throws IOException {
    long place = bytes.find(frame, from, to);
    if (place < 0) {
      return false;
    }
    found(place);
    return true;
  }

  private void found(long place) {
    start = place;
    at = FrameBytes.behind(place, StoredFrame.HEADER_BYTES + frame.length());
    following = isMessage() ? number() + 1 : number();
  }

  private boolean has(long place, long count) throws IOException {
    return place + count <= bytes.size() || (bytes.grow() && place + count <= bytes.size());
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
    bytes.close();
  }
}
