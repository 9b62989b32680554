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
 *     below it, or {@code *}; and of the services it may call, {@code chunks:} and a name or {@code
 *     *}, which {@code *} alone covers too
 */
record Caller(String name, Role role, List<String> statements) {

  /** Before the name of a service for chunks, where a statement has its name alone. */
  static final String CHUNKS = "chunks:";

  /** A role that this version does not know is none. */
  static Caller of(StoredToken token) {
    return new Caller(token.name(), Role.of(token.role()).orElse(Role.NONE), token.statements());
  }

  /**
   * @param what the name of a statement, or {@link #CHUNKS} and that of a service
   */
  boolean isGranted(String what) {
    return statements.stream().anyMatch(pattern -> covers(pattern, what));
  }

  private static boolean covers(String pattern, String what) {
    if (pattern.equals("*") || pattern.equals(what)) {
      return true;
    }
    return (pattern.endsWith(".*") || pattern.equals(CHUNKS + "*"))
        && what.startsWith(pattern.substring(0, pattern.length() - 1));
  }
}
