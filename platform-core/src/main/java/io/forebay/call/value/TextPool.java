/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Pools texts by their bytes, so that a repeated text is decoded once and is the same {@link
 * String} each time. Bounded; allocates only for new texts. Not thread-safe.
 */
final class TextPool {

  private static final int PLACES = 64;
  private static final int MAX_BYTES = 8_192;

  private final @Nullable String[] texts = new @Nullable String[PLACES];
  private final byte[][] encoded = new byte[PLACES][0];
  private final int[] lengths = new int[PLACES];

  /** The text of the next bytes. */
  String read(CborInput in, int length) {
    if (length == 0 || length > MAX_BYTES) {
      return in.textBytes(length);
    }
    byte[] bytes = in.bytes;
    int from = in.at;
    int place = place(bytes, from, length);
    String pooled = texts[place];
    if (pooled != null
        && lengths[place] == length
        && Arrays.equals(encoded[place], 0, length, bytes, from, from + length)) {
      in.at += length;
      return pooled;
    }
    String text = in.textBytes(length);
    if (encoded[place].length < length) {
      encoded[place] = new byte[length];
    }
    System.arraycopy(bytes, from, encoded[place], 0, length);
    lengths[place] = length;
    texts[place] = text;
    return text;
  }

  /** Hashes the length and a few bytes, because texts of statements often begin alike. */
  private static int place(byte[] bytes, int from, int length) {
    int sample = length;
    sample = 31 * sample + bytes[from];
    sample = 31 * sample + bytes[from + length / 4];
    sample = 31 * sample + bytes[from + length / 2];
    sample = 31 * sample + bytes[from + length / 4 * 3];
    sample = 31 * sample + bytes[from + length - 1];
    return (sample ^ sample >>> 15) & PLACES - 1;
  }
}
