/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

/**
 * Who asks for something.
 *
 * @param name of the token, or {@code anonymous}
 * @param role what it may do: none, viewer, operator or admin
 * @param address where the request came from
 */
public record Actor(String name, String role, String address) {

  /** What the process does by itself. */
  public static final Actor SYSTEM = new Actor("system", "admin", "local");
}
