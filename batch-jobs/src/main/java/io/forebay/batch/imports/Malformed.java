/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

/** A record cannot be parsed. The message gives the reason without values of the record. */
final class Malformed extends Exception {

  private static final long serialVersionUID = 1;

  Malformed(String message) {
    super(message, null, false, false);
  }
}
