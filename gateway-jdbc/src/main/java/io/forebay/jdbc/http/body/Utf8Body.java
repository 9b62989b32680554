/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.body;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;

/**
 * Checks whether a body is UTF-8 as defined by RFC 3629: no overlong forms, no surrogates, nothing
 * above U+10FFFF. The JSON parser checks only the structure, and guesses other encodings from zero
 * bytes.
 */
public final class Utf8Body {

  private static final int BUFFER = 1024;

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

  /** The decoder of the JDK is as strict as the RFC. */
  private static boolean isWellFormed(byte[] bytes, int start, int end) {
    CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder(); // reports what is malformed
    ByteBuffer in = ByteBuffer.wrap(bytes, start, end - start);
    CharBuffer out = CharBuffer.allocate(Math.min(end - start, BUFFER));
    CoderResult result;
    do {
      result = decoder.decode(in, out.clear(), true);
    } while (result.isOverflow());
    return result.isUnderflow();
  }
}
