/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import org.jspecify.annotations.Nullable;

/**
 * The body of a command.
 *
 * @param reason why, in the caller's words
 */
public record Command(@Nullable String reason) {

  private static final int MAX_REASON = 500;

  /**
   * The reason of a command that needs one.
   *
   * @throws Refused if there is none, or it is no line of text
   */
  public static String required(@Nullable Command command) {
    String reason = optional(command);
    if (reason.isEmpty()) {
      throw Refused.invalid("The body must be {\"reason\": \"…\"}; others will read why.");
    }
    return reason;
  }

  static String optional(@Nullable Command command) {
    String reason = command == null || command.reason() == null ? "" : command.reason().strip();
    if (reason.length() > MAX_REASON || reason.chars().anyMatch(Character::isISOControl)) {
      throw Refused.invalid(
          "The reason must be one line of at most %d characters.".formatted(MAX_REASON));
    }
    return reason;
  }
}
