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
 * Looks at a file from a place on, as far as is asked for, and goes on with it. For one thread.
 *
 * <p>What was looked at stays in memory until {@link #advance}; who looks further than a limit of
 * his own holds no more than that.
 */
final class FileWindow {

  static final int END = -1;

  private static final int BLOCK = 1 << 18;

  private final FileChannel file;
  private byte[] buffer = new byte[BLOCK];
  private int start;
  private int limit;

  /** The place in the file of what stands at {@code start}. */
  private long offset;

  FileWindow(FileChannel file) {
    this.file = file;
  }

  /** Looks from there on. */
  void seek(long place) {
    offset = place;
    start = 0;
    limit = 0;
  }

  /** The place from which it looks. */
  long offset() {
    return offset;
  }

  /** The byte so far from the place, as it is in a byte, or {@link #END}, which no UTF-8 has. */
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

  /** What was looked at; index 0 of the place is {@link #start} here. */
  byte[] bytes() {
    return buffer;
  }

  int start() {
    return start;
  }

  /** Goes on behind so many bytes, which were looked at. */
  void advance(int count) {
    start += count;
    offset += count;
  }
}
