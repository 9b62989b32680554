/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.system.StoredSession;
import java.time.Duration;
import java.time.Instant;

/**
 * A session as its user and administrators see it.
 *
 * @param id names the session among those of its user; it gives no access
 * @param begunAt when the user logged in
 * @param usedAt when it was last used
 * @param endsAt when it ends if it is not used until then
 * @param address where the user logged in from; empty if an older version began it
 */
public record ActiveSession(
    String id, Instant begunAt, Instant usedAt, Instant endsAt, String address) {

  private static final int ID = 16;

  static ActiveSession of(StoredSession session, Instant unusedUntil, Duration lifetime) {
    Instant last = session.begunAt().plus(lifetime);
    return new ActiveSession(
        id(session.hash()),
        session.begunAt(),
        session.usedAt(),
        unusedUntil.isBefore(last) ? unusedUntil : last,
        session.address());
  }

  /** The id of the session with this hash. */
  static String id(String hash) {
    return hash.substring(0, ID);
  }

  /** The id of the session of this login. */
  public static String id(LoggedIn login) {
    return id(TokenText.hash(login.text()));
  }
}
