/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

/** A value that no message can carry; becomes the caller's {@link IllegalArgumentException}. */
final class RefusedValue extends RuntimeException {

  private static final long serialVersionUID = 1;

  private String where = "";

  /**
   * @param what what was found, by type and never by value
   */
  RefusedValue(String what) {
    super(what, null, false, false);
  }

  /** Adds where it was found, from the inside to the outside. */
  RefusedValue in(String part) {
    where = ", " + part + where;
    return this;
  }

  String where() {
    return where;
  }
}
