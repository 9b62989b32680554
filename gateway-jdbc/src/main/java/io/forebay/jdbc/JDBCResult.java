/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

/**
 * Receives the results of statements. During the call, {@code Message.current()} identifies the
 * statement: its id is the id of the statement, and {@code source()} is the position of the
 * statement in the in-queue. A result does not contain the statement's text or arguments.
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
