/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations.jobs;

import java.security.Principal;

/**
 * Decides who may have which statements performed by a job. Thread-safe. Without a bean of this
 * type no caller of a request may start a job that performs a statement of the caller's choice.
 */
@FunctionalInterface
public interface StatementRights {

  /**
   * @param caller the principal of the servlet request
   * @param statement the name of a statement, which need not exist
   */
  boolean maySend(Principal caller, String statement);
}
