/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
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

  private final ReadAt file;
  private byte[] buffer = new byte[BLOCK];
  private int start;
  private int limit;

  /** The position in the file of the byte at {@code start}. */
  private long offset;

  FileWindow(ReadAt file) {
    this.file = file;
  }

  /** Fills a buffer from a position of a file, as far as the file reaches. */
  static void read(ReadAt file, long from, ByteBuffer target) throws IOException {
    int count = 0;
    for (long next = from; target.hasRemaining() && count >= 0; next += count) {
      count = file.read(target, next);
    }
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

  /** Whether the next bytes, which are in the window, are well-formed UTF-8. */
  boolean isUtf8(int length) {
    for (int i = start; i < start + length; i++) {
      if (buffer[i] < 0) {
        return isUtf8(ByteBuffer.wrap(buffer, i, start + length - i));
      }
    }
    return true;
  }

  private static boolean isUtf8(ByteBuffer bytes) {
    try {
      UTF_8.newDecoder().decode(bytes);
      return true;
    } catch (CharacterCodingException _) {
      return false;
    }
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
