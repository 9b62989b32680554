/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

/**
 * How a statement is answered. During the call {@code Message.current()} names the statement: the
 * id is the statement's, and {@code source()} its position in the in-queue. The statement's text
 * and arguments are not repeated.
 */
public interface JDBCResult {

  void queryResult(Rows rows);

  void queryThrown(SqlFailure failure);

  /**
   * @param count how many rows were changed
   */
  void updateResult(long count);

  void updateThrown(SqlFailure failure);
}
