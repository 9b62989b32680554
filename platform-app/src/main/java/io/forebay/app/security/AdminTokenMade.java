/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

/**
 * There is a new token of an administrator, to be shown once and kept nowhere.
 *
 * @param first whether it is the first token there is
 */
public record AdminTokenMade(String name, String token, boolean first) {

  /** Without the token. */
  @Override
  public String toString() {
    return "AdminTokenMade " + name;
  }
}
