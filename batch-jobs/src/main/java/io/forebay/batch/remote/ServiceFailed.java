/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.remote;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.regex.Pattern;

/**
 * A service failed a call, or a whole chunk, and says why with a code. The code crosses every
 * transport: what the author of a service throws is, on the caller's side, the cause of {@link
 * io.forebay.chunk.CallFailed} with the same code.
 *
 * <p>The message crosses it too, so nothing of the arguments belongs into it.
 */
public final class ServiceFailed extends RuntimeException {

  /**
   * The service did something it should not, such as an exception of its own; its log says what.
   */
  public static final String INTERNAL_ERROR = "internal-error";

  /** The arguments are not of the service's type; nothing was performed. */
  public static final String INVALID_ARGUMENTS = "invalid-arguments";

  /** The chunk was performed, and its replies are larger than a message may be. */
  public static final String REPLY_TOO_LARGE = "reply-too-large";

  private static final long serialVersionUID = 1;
  private static final int MAX_TEXT = 1_000;
  private static final Pattern CODE = Pattern.compile("[\\x21-\\x7e]{1,100}");

  private final String code;

  /**
   * @param code for programs: 1 to 100 characters of ASCII without spaces
   * @param message for people; its first 1,000 characters cross a transport
   * @throws IllegalArgumentException if the code is something else
   */
  public ServiceFailed(String code, String message) {
    super(message);
    if (!CODE.matcher(code).matches()) {
      throw new IllegalArgumentException(
          "the code of a failure must have 1 to 100 characters of ASCII without spaces (length=%,d)"
              .formatted(code.length()));
    }
    this.code = code;
  }

  /** For programs. */
  public String code() {
    return code;
  }

  /** The message as a transport carries it: not too long, and proper text. */
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
