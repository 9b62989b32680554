/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** A database in which a benchmark prepares its table and counts the rows. */
@FunctionalInterface
interface Database {

  Connection connect() throws SQLException;

  default void execute(String... statements) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** The numbers in the only row of a query. */
  default double[] row(String query) throws SQLException {
    try (Connection connection = connect()) {
      return row(connection, query);
    }
  }

  /** The boolean in the only row of a query. */
  default boolean isTrue(String query) throws SQLException {
    return row("select (" + query + ")::int")[0] == 1;
  }

  static double[] row(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      double[] numbers = new double[row.getMetaData().getColumnCount()];
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = row.getDouble(i + 1);
      }
      return numbers;
    }
  }
}
