/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.oidc;

import io.forebay.access.Admitted;
import io.forebay.access.TokenOwner;

/** The result of checking a JWT. */
public sealed interface JwtCheck {

  /** It is valid, and its groups have rights. */
  record Accepted(Admitted caller) implements JwtCheck {}

  /**
   * It is valid, but none of its groups has rights.
   *
   * @param caller without a role and without statements
   * @param claim the claim in which groups are expected
   */
  record WithoutRights(TokenOwner caller, String claim) implements JwtCheck {}

  /**
   * It is not valid.
   *
   * @param why what is wrong, for the caller; nothing from the JWT
   */
  record Wrong(String why) implements JwtCheck {}

  /** It cannot be checked now: its key is not known, and the provider does not respond. */
  record Unchecked() implements JwtCheck {}
}
