/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import io.forebay.jdbc.system.StoredUser;
import java.util.List;

/**
 * Somebody with a session.
 *
 * @param text what the browser presents as its cookie
 */
record LoggedIn(StoredUser user, String text) {

  /** A user sends no statements. A role that this version does not know is none. */
  Caller caller() {
    return new Caller(user.name(), Role.of(user.role()).orElse(Role.NONE), List.of());
  }

  /** What a page of ours sends with each change, and no other page can know. */
  String csrfToken() {
    return TokenText.hash("csrf " + text);
  }

  /** Without the text. */
  @Override
  public String toString() {
    return "LoggedIn " + user.name();
  }
}
