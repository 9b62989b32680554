/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import java.time.Instant;
import java.util.List;

/**
 * A token, as stored in the system database.
 *
 * @param name the name of its caller
 * @param hash SHA-256 of its text, as 64 hexadecimal digits in lower case
 * @param role none, viewer, operator or admin
 * @param statements patterns for the names of statements that it may send
 * @param createdBy the name of the token that created it
 * @param expiresAt when it ends
 */
public record StoredToken(
    String name,
    String hash,
    String role,
    List<String> statements,
    String createdBy,
    Instant createdAt,
    Instant expiresAt) {

  /** The role whose last token cannot be deleted. */
  public static final String ADMIN = "admin";

  public StoredToken {
    statements = List.copyOf(statements);
  }
}
