/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import java.time.Duration;

/** A password is not checked at present. */
final class TooManyLogins extends RuntimeException {

  private static final long serialVersionUID = 1;

  private final Duration retryAfter;

  TooManyLogins(Duration retryAfter, String detail) {
    super(detail);
    this.retryAfter = retryAfter;
  }

  Duration retryAfter() {
    return retryAfter;
  }
}
