/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.Arrays;

/**
 * A window on a file that reads ahead as far as requested. For one thread.
 *
 * <p>The bytes read ahead stay in memory until {@link #advance}. A caller that reads ahead only up
 * to a limit therefore bounds the memory.
 */
final class FileWindow {

  static final int END = -1;

  private static final int BLOCK = 1 << 18;

  private final FileChannel file;
  private byte[] buffer = new byte[BLOCK];
  private int start;
  private int limit;

  /** The position in the file of the byte at {@code start}. */
  private long offset;

  FileWindow(FileChannel file) {
    this.file = file;
  }

  /** Moves the window to a position. */
  void seek(long place) {
    offset = place;
    start = 0;
    limit = 0;
  }

  /** The position at which the window begins. */
  long offset() {
    return offset;
  }

  /**
   * The byte at an offset from that position, as an unsigned value, or {@link #END}, which is never
   * part of UTF-8.
   */
  int at(int index) throws IOException {
    int wanted = start + index;
    if (wanted >= limit && !load(index)) {
      return END;
    }
    return buffer[start + index] & 0xff;
  }

  private boolean load(int index) throws IOException {
    int held = limit - start;
    if (start > 0) {
      System.arraycopy(buffer, start, buffer, 0, held);
      start = 0;
      limit = held;
    }
    if (held == buffer.length) {
      buffer = Arrays.copyOf(buffer, buffer.length * 2);
    }
    while (limit <= index) {
      int read = file.read(ByteBuffer.wrap(buffer, limit, buffer.length - limit), offset + limit);
      if (read < 0) {
        return false;
      }
      limit += read;
    }
    return true;
  }

  /** The bytes read so far; the window begins at index {@link #start}. */
  byte[] bytes() {
    return buffer;
  }

  int start() {
    return start;
  }

  /** Moves the window forward by a number of bytes that were read. */
  void advance(int count) {
    start += count;
    offset += count;
  }
}
