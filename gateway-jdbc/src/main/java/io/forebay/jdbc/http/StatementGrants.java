/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import java.security.Principal;

/**
 * Who may send what through the door; where there is no bean of this type, there is no door. Asked
 * for each request: it must be fast. Thread-safe.
 */
@FunctionalInterface
public interface StatementGrants {

  /**
   * @param caller as the servlet request names him
   * @param statement the name of a statement, which may not be in the catalogue
   */
  boolean maySend(Principal caller, String statement);
}
