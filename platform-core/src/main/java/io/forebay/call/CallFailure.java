/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The answer to a call that its service did not perform.
 *
 * @param error the class name of the exception, or {@link #UNDECODABLE} or {@link #GIVEN_UP}
 * @param text its message, cut to {@link #MAX_TEXT} characters; it may contain values of the call
 */
public record CallFailure(String error, String text) {

  /** The {@link #error} of a message that the service could not decode. */
  public static final String UNDECODABLE = "UNDECODABLE";

  /** The {@link #error} of a message that an operator failed. */
  public static final String GIVEN_UP = "GIVEN_UP";

  static final int MAX_TEXT = 1_000;

  public CallFailure {
    error = cut(error);
    text = cut(text);
  }

  /** A call whose component threw this. */
  public static CallFailure of(Throwable thrown) {
    return new CallFailure(thrown.getClass().getName(), String.valueOf(thrown.getMessage()));
  }

  private static String cut(String text) {
    String start = text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
    // No message can carry half a surrogate pair; this replaces it.
    return new String(start.getBytes(UTF_8), UTF_8);
  }
}
