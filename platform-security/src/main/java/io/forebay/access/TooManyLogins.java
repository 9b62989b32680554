/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import java.time.Duration;
import org.springframework.security.core.AuthenticationException;

/** A password is not checked at present. */
public final class TooManyLogins extends AuthenticationException {

  private static final long serialVersionUID = 1;

  private final Duration retryAfter;

  public TooManyLogins(Duration retryAfter, String detail) {
    super(detail);
    this.retryAfter = retryAfter;
  }

  public Duration retryAfter() {
    return retryAfter;
  }
}
