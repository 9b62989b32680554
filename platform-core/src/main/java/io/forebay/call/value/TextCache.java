/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import org.jspecify.annotations.Nullable;

/**
 * Caches encoded texts by the identity of the {@link String}. Repeated texts, such as those of
 * statements, are copied instead of encoded. A text is cached when the same object comes the second
 * time. Bounded; allocates only until its slots have grown to the size of their texts. Not
 * thread-safe.
 */
final class TextCache {

  private static final int PLACES = 64;
  private static final int MAX_CHARS = 8_192;

  private final @Nullable String[] seen = new @Nullable String[PLACES];
  private final @Nullable String[] kept = new @Nullable String[PLACES];
  private final byte[][] encoded = new byte[PLACES][0];
  private final int[] lengths = new int[PLACES];

  void write(String text, CborOutput out) {
    if (text.length() > MAX_CHARS) {
      out.text(Cbor.TEXT, text);
      return;
    }
    int place = text.hashCode() & PLACES - 1;
    if (kept[place] == text) {
      out.raw(encoded[place], 0, lengths[place]);
      return;
    }
    int start = out.at;
    out.text(Cbor.TEXT, text);
    if (seen[place] == text) {
      keep(place, text, out, start);
    } else {
      seen[place] = text;
    }
  }

  private void keep(int place, String text, CborOutput out, int start) {
    int length = out.at - start;
    if (encoded[place].length < length) {
      encoded[place] = new byte[length];
    }
    System.arraycopy(out.bytes, start, encoded[place], 0, length);
    lengths[place] = length;
    kept[place] = text;
  }
}
