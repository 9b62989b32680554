/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import org.springframework.security.core.AuthenticationException;

/** The OpenID provider is needed to identify a caller, and does not respond. */
public final class ProviderAway extends AuthenticationException {

  private static final long serialVersionUID = 1;

  ProviderAway(Throwable cause) {
    super("the OpenID provider does not respond", cause);
  }
}
