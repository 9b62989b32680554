/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.operations.Actor;
import io.forebay.operations.KnownCaller;
import io.forebay.queue.sender.UnprovenSender;
import io.forebay.web.Problem;
import io.forebay.web.ProblemType;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The sender of a request. */
record DoorCaller(Principal principal) {

  /** The maximum size of a client's name, in UTF-8. */
  private static final int MAX_BYTES = 255;

  /**
   * @throws Problem if the request is not authenticated, no message can carry the caller's name, or
   *     it is one of those of other programs on Kafka
   */
  static DoorCaller of(@Nullable Principal principal) {
    if (principal == null) {
      throw Problem.of(401);
    }
    String name = principal.getName();
    if (name.isEmpty()
        || name.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES
        || name.chars().anyMatch(c -> Character.isISOControl(c))) {
      throw new Problem(
          ProblemType.NOT_PERMITTED,
          "The name of the caller must have 1 to 255 bytes and no control characters");
    }
    if (name.startsWith(UnprovenSender.PREFIX)) {
      throw new Problem(
          ProblemType.NOT_PERMITTED,
          "The name of the caller must not begin with %s, as those of other programs on Kafka do"
              .formatted(UnprovenSender.PREFIX));
    }
    return new DoorCaller(principal);
  }

  String name() {
    return principal.getName();
  }

  /** The caller in the audit. */
  Actor actor(String role, HttpServletRequest request) {
    return new Actor(
        Actor.Kind.of(principal), name(), role.toLowerCase(Locale.ROOT), request.getRemoteAddr());
  }

  /** Whether the caller would still be admitted; false ends what is sent for a long time. */
  boolean isStillAdmitted() {
    return KnownCaller.isStillAdmitted(principal);
  }

  /** Ends a stream whose caller is no longer admitted. */
  static Problem noLongerAdmitted(String later) {
    return new Problem(
        ProblemType.UNAUTHENTICATED,
        "The credentials of the caller have ended, or give other rights now; " + later);
  }
}
