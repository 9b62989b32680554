/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.catalogue;

/**
 * A value does not match the type of its parameter. The message says what is expected and never
 * contains the value.
 */
final class InvalidValue extends Exception {

  private static final long serialVersionUID = 1;

  InvalidValue(String message) {
    super(message, null, false, false);
  }
}
