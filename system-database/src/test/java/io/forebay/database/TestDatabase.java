/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** A real database of either kind, with the two roles of the gateway. */
public interface TestDatabase extends AutoCloseable {

  DataSource owner();

  DataSource gateway();

  /** Creates a table as the owner and grants the gateway its use. */
  void createTable(String name, String columns) throws SQLException;

  /** The columns of each row, as text separated by commas. */
  default List<String> rows(String query) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (Connection connection = owner().getConnection();
        Statement statement = connection.createStatement();
        ResultSet resultSet = statement.executeQuery(query)) {
      while (resultSet.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= resultSet.getMetaData().getColumnCount(); i++) {
          row.add(resultSet.getString(i));
        }
        rows.add(String.join(",", row));
      }
    }
    return rows;
  }

  @Override
  void close() throws SQLException;

  static TestDatabase hsqldb(Path directory) throws SQLException {
    MigratedFiles.copyTo(directory);
    return embedded(EmbeddedDatabase.open(directory));
  }

  static TestDatabase embedded(EmbeddedDatabase database) {
    return new TestDatabase() {
      @Override
      public DataSource owner() {
        return database.owner();
      }

      @Override
      public DataSource gateway() {
        return database.gateway();
      }

      @Override
      public void createTable(String name, String columns) throws SQLException {
        try (Connection connection = owner().getConnection();
            Statement statement = connection.createStatement()) {
          statement.execute("create table " + name + " (" + columns + ")");
        }
        database.grantAll(name);
      }

      @Override
      public void close() throws SQLException {
        database.close();
      }
    };
  }

  static TestDatabase postgresql() {
    return postgresql(TestPostgres.shared());
  }

  static TestDatabase postgresql(TestPostgres postgres) {
    return new TestDatabase() {
      @Override
      public DataSource owner() {
        return postgres.owner();
      }

      @Override
      public DataSource gateway() {
        return postgres.gateway();
      }

      @Override
      public void createTable(String name, String columns) {
        postgres.createTable("create table " + name + " (" + columns + ")");
      }

      @Override
      public void close() {
        postgres.close();
      }
    };
  }
}
