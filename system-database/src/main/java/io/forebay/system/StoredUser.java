/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import java.time.Instant;
import java.util.List;

/**
 * A user who may log in, as stored in the system database.
 *
 * @param password its Argon2 hash, with salt and parameters
 * @param role viewer, operator or admin
 * @param mustChange whether the user must first change the password, because someone else set it
 * @param createdBy who created the user
 * @param statements patterns of the statements that jobs may perform for the user, as of a token
 * @param logouts how often the user has logged out, which ends all logins
 */
public record StoredUser(
    String name,
    String password,
    String role,
    boolean mustChange,
    String createdBy,
    Instant createdAt,
    List<String> statements,
    int logouts) {

  public StoredUser {
    statements = List.copyOf(statements);
  }

  /** A user who has not logged out yet. */
  public StoredUser(
      String name,
      String password,
      String role,
      boolean mustChange,
      String createdBy,
      Instant createdAt,
      List<String> statements) {
    this(name, password, role, mustChange, createdBy, createdAt, statements, 0);
  }

  /** The role whose last user cannot be deleted. */
  public static final String ADMIN = "admin";

  /** Whether a login of this user is still valid, and means the same, for the other one. */
  public boolean isSame(StoredUser other) {
    return password.equals(other.password)
        && logouts == other.logouts
        && role.equals(other.role)
        && statements.equals(other.statements);
  }

  /** The user after choosing a password. */
  public StoredUser withOwnPassword(String hash) {
    return new StoredUser(name, hash, role, false, createdBy, createdAt, statements, logouts);
  }

  /** Omits the hash. */
  @Override
  public String toString() {
    return "StoredUser " + name + " (" + role + ")";
  }
}
