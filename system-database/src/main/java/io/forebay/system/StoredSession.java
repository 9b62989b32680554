/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A login session, as stored in the system database.
 *
 * @param hash SHA-256 of its text, as 64 hexadecimal digits in lower case
 * @param user the name of its user
 * @param begunAt when the user logged in
 * @param usedAt when it was last used, to about a minute
 * @param address where the user logged in from
 * @param rights what the user may, if the OpenID provider identified the user; otherwise null
 */
public record StoredSession(
    String hash,
    String user,
    Instant begunAt,
    Instant usedAt,
    String address,
    @Nullable Rights rights) {

  /**
   * @param role none, viewer, operator or admin
   * @param statements patterns, as of a token
   */
  public record Rights(String role, List<String> statements) {

    public Rights {
      statements = List.copyOf(statements);
    }
  }

  /** A session of a user who is stored. */
  public StoredSession(String hash, String user, Instant begunAt, Instant usedAt, String address) {
    this(hash, user, begunAt, usedAt, address, null);
  }
}
