/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http;

import io.forebay.operations.jobs.StatementRights;
import java.security.Principal;

/**
 * Decides who may send which statements, through the door and with jobs that perform them. Without
 * a bean of this type there is no door. It is called for each request, so it must be fast, and it
 * must be thread-safe.
 */
@FunctionalInterface
public interface StatementGrants extends StatementRights {

  /**
   * @param caller the principal of the servlet request
   * @param statement the name of a statement, which may be missing from the catalogue
   */
  @Override
  boolean maySend(Principal caller, String statement);
}
