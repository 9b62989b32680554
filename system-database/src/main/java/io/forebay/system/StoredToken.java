/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import java.time.Instant;
import java.util.List;

/**
 * What is kept of a token.
 *
 * @param name who presents it
 * @param hash SHA-256 of its text, as 64 hexadecimal digits in lower case
 * @param role none, viewer, operator or admin
 * @param statements patterns of the names of the statements it may send
 * @param createdBy the name of the token that made it
 */
public record StoredToken(
    String name,
    String hash,
    String role,
    List<String> statements,
    String createdBy,
    Instant createdAt) {

  /** The role of which one token is always left. */
  public static final String ADMIN = "admin";

  public StoredToken {
    statements = List.copyOf(statements);
  }

  /** The same for another text. */
  public StoredToken withHash(String other) {
    return new StoredToken(name, other, role, statements, createdBy, createdAt);
  }
}
