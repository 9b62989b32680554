/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

/**
 * Who requests an action.
 *
 * @param the name of the token, or {@code anonymous}
 * @param role none, viewer, operator or admin
 * @param address the address that the request came from
 */
public record Actor(String name, String role, String address) {

  /** The process itself. */
  public static final Actor SYSTEM = new Actor("system", "admin", "local");
}
