/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;

/** The databases that a gateway supports. */
public enum Dialect {
  HSQLDB,
  POSTGRESQL;

  /**
   * @throws SQLException if the database does not respond
   * @throws UnsafeDatabase if it is none of these; a retry does not help
   */
  public static Dialect of(Connection connection) throws SQLException {
    DatabaseMetaData database = connection.getMetaData();
    String product = database.getDatabaseProductName();
    return switch (product) {
      case "HSQL Database Engine" -> HSQLDB;
      case "PostgreSQL" -> POSTGRESQL;
      default ->
          throw new UnsafeDatabase(
              "Database not supported: "
                  + product
                  + " "
                  + database.getDatabaseProductVersion()
                  + "; use PostgreSQL or HSQLDB");
    };
  }

  /** Where Flyway finds this database's migrations. */
  String[] migrations() {
    String schema = "classpath:io/forebay/database/schema/";
    return new String[] {schema + "common", schema + name().toLowerCase(Locale.ROOT)};
  }

  /** What stands for the placeholders of the common migration. */
  Map<String, String> placeholders() {
    return switch (this) {
      case HSQLDB ->
          Map.of(
              "table", "cached table",
              "bytes", "varbinary(16M)",
              "hash", "varbinary(32)",
              "text", "longvarchar",
              "timestamp", "timestamp(9)");
      case POSTGRESQL ->
          Map.of(
              "table", "table",
              "bytes", "bytea",
              "hash", "bytea",
              "text", "text",
              "timestamp", "timestamp with time zone");
    };
  }

  /** The schema of the ledger, as the catalogue of this database spells it. */
  String schema() {
    return spelled("forebay");
  }

  /** An unquoted name in lower case, as the catalogue of this database spells it. */
  String spelled(String name) {
    return this == HSQLDB ? name.toUpperCase(Locale.ROOT) : name;
  }
}
