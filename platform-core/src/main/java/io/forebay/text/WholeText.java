/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.text;

/** Text that every database can store. */
public final class WholeText {

  /** What the value must be, for a message about a field. */
  public static final String EXPECTED =
      "a string that contains neither U+0000 nor unpaired surrogates";

  private WholeText() {}

  /** Whether the text contains neither U+0000 nor an unpaired surrogate. */
  public static boolean is(CharSequence text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0) {
        return false;
      }
      if (Character.isSurrogate(c)) {
        if (i + 1 == text.length() || !Character.isSurrogatePair(c, text.charAt(i + 1))) {
          return false;
        }
        i++;
      }
    }
    return true;
  }
}
