/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

/** The command line is invalid; the message says why. */
final class UsageError extends RuntimeException {

  private static final long serialVersionUID = 1;

  UsageError(String message) {
    super(message);
  }
}
