/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

/**
 * A new administrator token was created; it is to be shown once and stored nowhere.
 *
 * @param first whether it is the very first token
 */
public record AdminTokenMade(String name, String token, boolean first) {

  /** Without the token. */
  @Override
  public String toString() {
    return "AdminTokenMade " + name;
  }
}
