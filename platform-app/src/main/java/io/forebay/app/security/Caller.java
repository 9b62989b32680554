/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import io.forebay.jdbc.system.StoredToken;
import java.util.List;

/**
 * Who presents a token.
 *
 * @param statements patterns of the statements it may send: a name, a name and {@code .*} for those
 *     below it, or {@code *}
 */
record Caller(String name, Role role, List<String> statements) {

  /** A role that this version does not know is none. */
  static Caller of(StoredToken token) {
    return new Caller(token.name(), Role.of(token.role()).orElse(Role.NONE), token.statements());
  }

  boolean maySend(String statement) {
    return statements.stream().anyMatch(pattern -> covers(pattern, statement));
  }

  private static boolean covers(String pattern, String statement) {
    if (pattern.equals("*") || pattern.equals(statement)) {
      return true;
    }
    return pattern.endsWith(".*")
        && statement.startsWith(pattern.substring(0, pattern.length() - 1));
  }
}
