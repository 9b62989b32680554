/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.Serializable;

/**
 * The answer to a call that its service gave up, or that its component declined.
 *
 * @param error the class name of the exception, or {@link #UNDECODABLE} or {@link #GIVEN_UP}
 * @param text its message, cut to {@link #MAX_TEXT} characters; it may contain values of the call
 * @param declined whether the component declined the call, which is a normal outcome; otherwise the
 *     service gave it up, and it is a dead letter
 */
public record CallFailure(String error, String text, boolean declined) implements Serializable {

  /** The {@link #error} of a message that the service could not decode. */
  public static final String UNDECODABLE = "UNDECODABLE";

  /** The {@link #error} of a message that an operator failed. */
  public static final String GIVEN_UP = "GIVEN_UP";

  static final int MAX_TEXT = 1_000;

  public CallFailure {
    error = cut(error);
    text = cut(text);
  }

  /** A call that the service gave up. */
  public CallFailure(String error, String text) {
    this(error, text, false);
  }

  /** A call that the service gave up, because its component threw this. */
  public static CallFailure of(Throwable thrown) {
    return new CallFailure(thrown.getClass().getName(), String.valueOf(thrown.getMessage()));
  }

  /** A call that the component declined by throwing this. */
  public static CallFailure declined(Throwable thrown) {
    return new CallFailure(thrown.getClass().getName(), String.valueOf(thrown.getMessage()), true);
  }

  CallFailure asDeclined() {
    return new CallFailure(error, text, true);
  }

  private static String cut(String text) {
    String start = text.length() <= MAX_TEXT ? text : text.substring(0, MAX_TEXT);
    // No message can carry half a surrogate pair; this replaces it.
    return new String(start.getBytes(UTF_8), UTF_8);
  }
}
