/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import io.forebay.access.Admitted;
import org.springframework.security.core.AuthenticationException;

/** The OpenID provider knows the caller, but none of the caller's groups has rights. */
public final class NoRights extends AuthenticationException {

  private static final long serialVersionUID = 1;

  private final transient Admitted caller;

  NoRights(Admitted caller, String claim) {
    super(
        ("You are identified, but no group in your claim %s has a role or statements here; an"
                + " administrator can give it some (forebay.security.oidc.roles, .statements)")
            .formatted(claim));
    this.caller = caller;
  }

  public Admitted caller() {
    return caller;
  }
}
