/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;

/** Handling of UTF-8 texts in files. */
final class Utf8Text {

  private Utf8Text() {}

  /** Whether these bytes are well-formed UTF-8. */
  static boolean isValid(byte[] bytes, int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes[i] < 0) {
        return isValidBeyondAscii(bytes, i, to);
      }
    }
    return true;
  }

  private static boolean isValidBeyondAscii(byte[] bytes, int from, int to) {
    try {
      UTF_8
          .newDecoder()
          .onMalformedInput(CodingErrorAction.REPORT)
          .decode(ByteBuffer.wrap(bytes, from, to - from));
      return true;
    } catch (CharacterCodingException _) {
      return false;
    }
  }
}
