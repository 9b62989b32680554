/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call.value;

/** A value that no message can carry; becomes the caller's {@link IllegalArgumentException}. */
public final class RefusedValue extends RuntimeException {

  private static final long serialVersionUID = 1;

  private String where = "";

  /**
   * @param what describes the type of what was found, never its value
   */
  RefusedValue(String what) {
    super(what, null, false, false);
  }

  /** Prepends the enclosing part to the location. */
  RefusedValue in(String part) {
    where = ", " + part + where;
    return this;
  }

  public String where() {
    return where;
  }
}
