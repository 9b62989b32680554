/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin;

import io.forebay.operations.Actor;
import io.forebay.operations.Audit;
import io.forebay.text.WholeText;
import io.forebay.web.Problem;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * The body of a command.
 *
 * @param reason the reason that the caller gives
 */
public record Command(@Nullable JsonNode reason) {

  private static final int MAX_REASON = 500;

  /**
   * The reason of a command that needs one.
   *
   * @throws Problem if there is none, or it is no line of text
   */
  public static String required(@Nullable Command command) {
    return required(command == null ? null : command.reason());
  }

  /**
   * The same, of a body that has more than the reason.
   *
   * @throws Problem if there is none, or it is no line of text
   */
  public static String required(@Nullable JsonNode given) {
    String reason = optional(given);
    if (reason.isEmpty()) {
      throw Problem.invalidField(
          "/reason", "is required; it is shown to other operators and in the audit");
    }
    return reason;
  }

  /** The entry of a pause or a resume; its outcome says if that was the state before. */
  public static Audit.Entry entry(
      Actor actor, String action, String target, String reason, boolean paused) {
    boolean pause = action.endsWith(".pause");
    Audit.Entry entry = Audit.Entry.allowed(actor, action, target, reason);
    return pause != paused
        ? entry
        : entry.withOutcome(Audit.ALLOWED + (pause ? ", was already paused" : ", was not paused"));
  }

  /**
   * The reason of a command that needs none; empty if none is given.
   *
   * @throws Problem if it is no line of text
   */
  public static String optional(@Nullable Command command) {
    return optional(command == null ? null : command.reason());
  }

  /** The reason; empty if none is given. */
  public static String optional(@Nullable JsonNode given) {
    if (given == null || given.isNull()) {
      return "";
    }
    String reason = given.isString() ? given.stringValue().strip() : "\n";
    if (reason.length() > MAX_REASON
        || reason.chars().anyMatch(Character::isISOControl)
        || !WholeText.is(reason)) {
      throw Problem.invalidField(
          "/reason", "must be a string, one line of at most %d characters".formatted(MAX_REASON));
    }
    return reason;
  }
}
