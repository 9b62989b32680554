/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

/** The first user of the admin page was created; its password is to be shown once. */
public record AdminPasswordMade(String user, String password) {

  /** Without the password. */
  @Override
  public String toString() {
    return "AdminPasswordMade " + user;
  }
}
