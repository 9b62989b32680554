/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.body;

/**
 * Checks whether a body is UTF-8 as defined by RFC 3629: no overlong forms, no surrogates, nothing
 * above U+10FFFF. The JSON parser checks only the structure, and guesses other encodings from zero
 * bytes.
 */
public final class Utf8Body {

  private Utf8Body() {}

  /**
   * @param bytes of a JSON text, at least one
   */
  public static boolean is(byte[] bytes) {
    return is(bytes, 0, bytes.length);
  }

  /**
   * @param start of the JSON text in the bytes
   * @param end of it, greater than the start
   */
  public static boolean is(byte[] bytes, int start, int end) {
    int all = 0;
    for (int i = start; i < end; i++) {
      all |= bytes[i];
    }
    boolean isAscii = all >= 0;
    return !isUtf16(bytes, start, end) && (isAscii || isWellFormed(bytes, start, end));
  }

  /** UTF-16 or UTF-32: JSON begins with ASCII characters, so one of the first two bytes is zero. */
  private static boolean isUtf16(byte[] bytes, int start, int end) {
    return bytes[start] == 0 || (end - start > 1 && bytes[start + 1] == 0);
  }

  private static boolean isWellFormed(byte[] bytes, int start, int end) {
    int i = start;
    while (i < end) {
      int lead = bytes[i] & 0xff;
      int more = more(lead);
      if (more < 0 || i + more >= end) {
        return false;
      }
      for (int k = 1; k <= more; k++) {
        int low = k == 1 ? lowestSecond(lead) : 0x80;
        int high = k == 1 ? highestSecond(lead) : 0xbf;
        int next = bytes[i + k] & 0xff;
        if (next < low || next > high) {
          return false;
        }
      }
      i += more + 1;
    }
    return true;
  }

  /** The number of bytes that follow; -1 if no character may begin with this byte. */
  private static int more(int lead) {
    if (lead < 0x80) {
      return 0;
    }
    if (lead < 0xc2 || lead > 0xf4) {
      return -1;
    }
    return lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
  }

  private static int lowestSecond(int lead) {
    return switch (lead) {
      case 0xe0 -> 0xa0;
      case 0xf0 -> 0x90;
      default -> 0x80;
    };
  }

  private static int highestSecond(int lead) {
    return switch (lead) {
      case 0xed -> 0x9f;
      case 0xf4 -> 0x8f;
      default -> 0xbf;
    };
  }
}
