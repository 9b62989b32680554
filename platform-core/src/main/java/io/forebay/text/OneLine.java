/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.text;

/** Text of unknown origin as one line that every database and log keeps unchanged. */
public final class OneLine {

  private OneLine() {}

  /**
   * The text with a question mark for each control and format character, separator of lines or
   * paragraphs, and half of a surrogate pair: it neither moves the cursor of a terminal nor changes
   * the order of what it shows. Cut to this length, with an ellipsis at its end.
   *
   * @param length at least 2
   */
  public static String of(String text, int length) {
    StringBuilder line = new StringBuilder();
    text.codePoints().map(it -> isText(it) ? it : '?').forEach(line::appendCodePoint);
    if (line.length() <= length) {
      return line.toString();
    }
    int end = length - 1;
    line.setLength(Character.isHighSurrogate(line.charAt(end - 1)) ? end - 1 : end);
    return line.append('…').toString();
  }

  private static boolean isText(int codePoint) {
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE ->
          false;
      default -> true;
    };
  }
}
