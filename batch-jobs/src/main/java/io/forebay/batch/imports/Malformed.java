/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

/** A record cannot be read. The message says why, not what came. */
final class Malformed extends Exception {

  private static final long serialVersionUID = 1;

  Malformed(String message) {
    super(message, null, false, false);
  }
}
