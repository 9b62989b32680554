/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import io.forebay.jdbc.http.StatementGrants;
import java.security.Principal;
import org.springframework.stereotype.Component;

/** A token may send the statements that its patterns cover. */
@Component
final class TokenGrants implements StatementGrants {

  @Override
  public boolean maySend(Principal caller, String statement) {
    return caller instanceof CallerAuthentication authentication
        && authentication.caller().maySend(statement);
  }
}
