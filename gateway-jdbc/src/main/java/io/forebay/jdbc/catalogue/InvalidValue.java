/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

/** A JSON value is not what a parameter takes. The message says what it takes, not what came. */
final class InvalidValue extends Exception {

  private static final long serialVersionUID = 1;

  InvalidValue(String message) {
    super(message, null, false, false);
  }
}
