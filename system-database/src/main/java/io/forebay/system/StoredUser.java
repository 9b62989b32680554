/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import java.time.Instant;

/**
 * What is kept of somebody who may log in.
 *
 * @param password its Argon2 hash, with salt and parameters
 * @param role viewer, operator or admin
 * @param mustChange whether the password was given by somebody else and has to be changed first
 * @param createdBy who made the user
 */
public record StoredUser(
    String name,
    String password,
    String role,
    boolean mustChange,
    String createdBy,
    Instant createdAt) {

  /** The role of which one user is always left. */
  public static final String ADMIN = "admin";

  /** Without the hash. */
  @Override
  public String toString() {
    return "StoredUser " + name + " (" + role + ")";
  }
}
