/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Encodes and decodes UTF-8 strictly: {@link String} would replace what is invalid. */
public final class Utf8 {

  private static final long HIGH_BITS = 0x8080_8080_8080_8080L;

  private Utf8() {}

  /**
   * How many bytes the text takes.
   *
   * @throws RefusedValue if it holds half of a surrogate pair
   */
  public static int length(String text) {
    int chars = text.length();
    int bytes = chars;
    for (int i = 0; i < chars; i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        continue;
      }
      if (!Character.isSurrogate(c)) {
        bytes += c < 0x800 ? 1 : 2;
      } else if (Character.isHighSurrogate(c)
          && i + 1 < chars
          && Character.isLowSurrogate(text.charAt(i + 1))) {
        bytes += 2;
        i++;
      } else {
        throw new RefusedValue("text with half of a surrogate pair");
      }
    }
    return bytes;
  }

  /** Writes a text that {@link #length} has accepted. */
  static void encode(String text, byte[] target, int start) {
    int at = start;
    int chars = text.length();
    for (int i = 0; i < chars; i++) {
      char c = text.charAt(i);
      if (c < 0x80) {
        target[at++] = (byte) c;
      } else if (c < 0x800) {
        target[at++] = (byte) (0xc0 | c >> 6);
        target[at++] = (byte) (0x80 | c & 0x3f);
      } else if (!Character.isSurrogate(c)) {
        target[at++] = (byte) (0xe0 | c >> 12);
        target[at++] = (byte) (0x80 | c >> 6 & 0x3f);
        target[at++] = (byte) (0x80 | c & 0x3f);
      } else {
        int point = Character.toCodePoint(c, text.charAt(++i));
        target[at++] = (byte) (0xf0 | point >> 18);
        target[at++] = (byte) (0x80 | point >> 12 & 0x3f);
        target[at++] = (byte) (0x80 | point >> 6 & 0x3f);
        target[at++] = (byte) (0x80 | point & 0x3f);
      }
    }
  }

  /** The text of these bytes, or null if they are not UTF-8. */
  static @Nullable String decode(byte[] bytes, int from, int length) {
    if (length == 0) {
      return "";
    }
    if (isAscii(bytes, from, length)) {
      return new String(bytes, from, length, ISO_8859_1);
    }
    String text = new String(bytes, from, length, UTF_8);
    // String decodes each invalid sequence to U+FFFD, which encodes to other bytes.
    if (text.indexOf('\ufffd') >= 0
        && !Arrays.equals(text.getBytes(UTF_8), Arrays.copyOfRange(bytes, from, from + length))) {
      return null;
    }
    return text;
  }

  static boolean isValid(byte[] bytes, int from, int length) {
    return isAscii(bytes, from, length) || decode(bytes, from, length) != null;
  }

  private static boolean isAscii(byte[] bytes, int from, int length) {
    int i = 0;
    for (; i + 8 <= length; i += 8) {
      if (((long) Cbor.LONGS.get(bytes, from + i) & HIGH_BITS) != 0) {
        return false;
      }
    }
    int rest = 0;
    for (; i < length; i++) {
      rest |= bytes[from + i];
    }
    return rest >= 0;
  }
}
