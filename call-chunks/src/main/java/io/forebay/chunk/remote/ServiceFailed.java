/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.regex.Pattern;

/**
 * A service failed a call or a whole chunk, with a code for the reason. Every transport carries the
 * code: what the author of a service throws is, on the caller's side, the cause of {@link
 * io.forebay.chunk.CallFailed} with the same code.
 *
 * <p>Transports carry the message too, so it must not contain arguments.
 */
public final class ServiceFailed extends RuntimeException {

  /**
   * The service failed unexpectedly, for example with an exception of its own; its log has the
   * details.
   */
  public static final String INTERNAL_ERROR = "internal-error";

  /** The arguments do not have the service's type; nothing was performed. */
  public static final String INVALID_ARGUMENTS = "invalid-arguments";

  /** The chunk was performed, but its replies exceed the maximum message size. */
  public static final String REPLY_TOO_LARGE = "reply-too-large";

  private static final long serialVersionUID = 1;
  private static final int MAX_TEXT = 1_000;
  private static final Pattern CODE = Pattern.compile("[\\x21-\\x7e]{1,100}");

  private final String code;

  /**
   * @param code for programs: 1 to 100 ASCII characters without spaces
   * @param message for people; transports carry its first 1,000 characters
   * @throws IllegalArgumentException if the code is invalid
   */
  public ServiceFailed(String code, String message) {
    super(message);
    if (!CODE.matcher(code).matches()) {
      throw new IllegalArgumentException(
          "the code of a failure must have 1 to 100 ASCII characters without spaces (length=%,d)"
              .formatted(code.length()));
    }
    this.code = code;
  }

  /** The code, for programs. */
  public String code() {
    return code;
  }

  /** The message as a transport carries it: limited in length and well-formed. */
  String text() {
    String text = String.valueOf(getMessage());
    String clipped = text.substring(0, Math.min(text.length(), MAX_TEXT));
    return new String(clipped.getBytes(UTF_8), UTF_8);
  }

  @Override
  public String toString() {
    return "ServiceFailed " + code + ": " + getMessage();
  }
}
