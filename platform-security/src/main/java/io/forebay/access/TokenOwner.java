/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.system.StoredToken;
import java.io.Serializable;
import java.util.List;

/**
 * The owner of a token, or a caller with the rights of one.
 *
 * @param statements patterns of the statements it may send: a name, a name and {@code .*} for those
 *     below it, or {@code *}; and of the services it may call: {@code chunks:} and a name or {@code
 *     *}. A plain {@code *} covers all services too
 */
public record TokenOwner(String name, Role role, List<String> statements) implements Serializable {

  /** The prefix of a service for chunks; a statement has no prefix. */
  public static final String CHUNKS = "chunks:";

  /** The caller of a token. A role that this version does not know counts as none. */
  static TokenOwner of(StoredToken token) {
    return new TokenOwner(
        token.name(), Role.of(token.role()).orElse(Role.NONE), token.statements());
  }

  /**
   * @param what the name of a statement, or {@link #CHUNKS} and the name of a service
   */
  public boolean isGranted(String what) {
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
