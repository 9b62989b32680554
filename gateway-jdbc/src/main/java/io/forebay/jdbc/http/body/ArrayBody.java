/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.body;

/** A body that is a JSON array. */
public final class ArrayBody {

  private ArrayBody() {}

  /** Whether a JSON text is an array, if it is valid. */
  public static boolean is(byte[] json) {
    for (byte next : json) {
      if (next > ' ') {
        return next == '[';
      }
    }
    return false;
  }

  /**
   * Makes lines of an array, in place: each element is one line that ends with a newline.
   *
   * @param array a valid JSON text that is an array
   * @return the length of the lines
   */
  public static int toLines(byte[] array) {
    int depth = 0;
    boolean inString = false;
    boolean isEmpty = true;
    for (int i = 0; i < array.length; i++) {
      byte next = array[i];
      if (inString) {
        inString = next != '"';
        i += next == '\\' ? 1 : 0;
        continue;
      }
      boolean isOuter = depth == (next == '[' ? 0 : 1);
      if (next == ']' && isOuter) {
        array[i] = '\n';
        return isEmpty ? 0 : i + 1;
      }
      if (isOuter && (next == '[' || next == ',')) {
        array[i] = (byte) (next == ',' ? '\n' : ' ');
      } else if (next == '\n' || next == '\r') {
        array[i] = ' ';
      } else {
        isEmpty &= next <= ' ';
      }
      inString = next == '"';
      depth += next == '[' || next == '{' ? 1 : next == ']' || next == '}' ? -1 : 0;
    }
    throw new IllegalArgumentException("the array has no end");
  }
}
