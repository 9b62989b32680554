/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.operations.Actor;
import io.forebay.system.StoredUser;
import java.util.List;

/**
 * A user with a session.
 *
 * @param text the value of the session cookie
 * @param kind a user who is stored, or one whom the OpenID provider identified
 */
public record LoggedIn(StoredUser user, String text, Actor.Kind kind) {

  /** A user who is stored. */
  public LoggedIn(StoredUser user, String text) {
    this(user, text, Actor.Kind.USER);
  }

  /**
   * The user as a caller. The statements are those that jobs may perform for the user, because the
   * door accepts no session. An administrator may have all of them: who creates tokens and users
   * can give every grant. A role that this version does not know counts as none.
   */
  public TokenOwner caller() {
    Role role = Role.of(user.role()).orElse(Role.NONE);
    return new TokenOwner(user.name(), role, role == Role.ADMIN ? List.of("*") : user.statements());
  }

  /** The value that Forebay's page sends with each change and no other page can know. */
  public String csrfToken() {
    return TokenText.hash("csrf " + text);
  }

  /** Without the text. */
  @Override
  public String toString() {
    return "LoggedIn " + user.name();
  }
}
