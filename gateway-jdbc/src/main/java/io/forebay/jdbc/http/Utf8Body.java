/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

/**
 * Checks whether a body is UTF-8 as defined by RFC 3629: no overlong forms, no surrogates, nothing
 * above U+10FFFF. The JSON parser checks only the structure, and guesses other encodings from zero
 * bytes.
 */
final class Utf8Body {

  private Utf8Body() {}

  /**
   * @param bytes of a JSON text, at least one
   */
  static boolean is(byte[] bytes) {
    int all = 0;
    for (byte each : bytes) {
      all |= each;
    }
    boolean isAscii = all >= 0;
    return isAscii ? !isUtf16(bytes) : isWellFormed(bytes) && !isUtf16(bytes);
  }

  /** UTF-16 or UTF-32: JSON begins with ASCII characters, so one of the first two bytes is zero. */
  private static boolean isUtf16(byte[] bytes) {
    return bytes[0] == 0 || (bytes.length > 1 && bytes[1] == 0);
  }

  private static boolean isWellFormed(byte[] bytes) {
    int i = 0;
    while (i < bytes.length) {
      int lead = bytes[i] & 0xff;
      int more = more(lead);
      if (more < 0 || i + more >= bytes.length) {
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
