/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.security;

import io.forebay.access.TokenOwner;
import io.forebay.chunk.remote.ChunkGrants;
import io.forebay.jdbc.http.StatementGrants;
import java.security.Principal;
import org.springframework.stereotype.Component;

/** Grants a token the statements and services that its patterns cover. */
@Component
final class TokenGrants implements StatementGrants, ChunkGrants {

  @Override
  public boolean maySend(Principal caller, String statement) {
    return isGranted(caller, statement);
  }

  @Override
  public boolean mayCall(Principal caller, String service) {
    return isGranted(caller, TokenOwner.CHUNKS + service);
  }

  private static boolean isGranted(Principal caller, String what) {
    return caller instanceof CallerAuthentication authentication
        && authentication.caller().isGranted(what);
  }
}
