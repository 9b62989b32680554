/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.seed;

import java.sql.Connection;
import java.sql.PreparedStatement;

/** Performs one statement at a time; each is prepared again and committed by itself. */
public final class JDBCComponent implements JDBCStatement {

  private final Connection connection;
  private final JDBCResult result;

  public JDBCComponent(Connection connection, JDBCResult result) {
    this.connection = connection;
    this.result = result;
  }

  @Override
  public void executeUpdate(String query, Object... args) {
    int count;
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      for (int i = 0; i < args.length; i++) {
        statement.setObject(i + 1, args[i]);
      }
      count = statement.executeUpdate();
    } catch (Throwable thrown) {
      result.updateThrown(thrown, query, args);
      return;
    }
    result.updateResult(count, query, args);
  }
}
