/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.database.MigrationHistory;
import java.io.IOException;
import java.io.Reader;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyManager;

/**
 * Schema {@code forebay} of a PostgreSQL database and table {@code event} as files: the migrations
 * that created the schema, and the rows of each table in the format of COPY. The servers of the
 * tests have no {@code pg_dump}.
 */
final class PostgresDump {

  private static final String SCHEMA = "schema.sql";

  /** Of the common migrations. */
  private static final Map<String, String> PLACEHOLDERS =
      Map.of(
          "${table}", "table",
          "${bytes}", "bytea",
          "${hash}", "bytea",
          "${text}", "text",
          "${timestamp}", "timestamp with time zone");

  private PostgresDump() {}

  static void write(DataSource database, Path directory) throws IOException, SQLException {
    StringBuilder schema =
        new StringBuilder("create schema forebay;\n")
            .append(MigrationHistory.create("forebay.flyway_schema_history"));
    for (Path migration : migrations()) {
      schema.append(Files.readString(migration));
    }
    String sql = schema.toString();
    for (Map.Entry<String, String> placeholder : PLACEHOLDERS.entrySet()) {
      sql = sql.replace(placeholder.getKey(), placeholder.getValue());
    }
    Files.writeString(directory.resolve(SCHEMA), sql);
    try (Connection connection = database.getConnection()) {
      for (String table :
          strings(
              connection,
              "select format('%I.%I', schemaname, tablename) from pg_tables"
                  + " where schemaname = 'forebay' or tablename = 'event'")) {
        Path file = directory.resolve(table);
        try (Writer rows = Files.newBufferedWriter(file)) {
          copy(connection).copyOut("copy " + table + " to stdout", rows);
        }
        if (Files.size(file) == 0) {
          Files.delete(file);
        }
      }
    }
  }

  /** Into a database without that schema and with an empty table {@code event}. */
  static void restore(DataSource database, Path directory) throws IOException, SQLException {
    try (Connection connection = database.getConnection();
        Stream<Path> files = Files.list(directory)) {
      connection.createStatement().execute(Files.readString(directory.resolve(SCHEMA)));
      for (Path file : files.filter(it -> !it.endsWith(SCHEMA)).toList()) {
        try (Reader rows = Files.newBufferedReader(file)) {
          copy(connection).copyIn("copy " + file.getFileName() + " from stdin", rows);
        }
      }
      // The next row gets a number that no other one has.
      for (String next :
          strings(
              connection,
              "select format('select setval(pg_get_serial_sequence(%L, %L), max(%I) + 1) from %s',"
                  + " attrelid::regclass, attname, attname, attrelid::regclass)"
                  + " from pg_attribute where attidentity <> ''"
                  + " and attrelid::regclass::text like 'forebay.%'")) {
        connection.createStatement().execute(next);
      }
    }
  }

  private static List<Path> migrations() throws IOException {
    Path all =
        ForebayProcess.checkout()
            .resolve("system-database/src/main/resources/io/forebay/database/schema");
    List<Path> migrations = new ArrayList<>();
    for (String folder : List.of("common", "postgresql")) {
      try (Stream<Path> files = Files.list(all.resolve(folder))) {
        files.sorted().forEach(migrations::add);
      }
    }
    return migrations;
  }

  private static CopyManager copy(Connection connection) throws SQLException {
    return connection.unwrap(PGConnection.class).getCopyAPI();
  }

  private static List<String> strings(Connection connection, String query) throws SQLException {
    List<String> strings = new ArrayList<>();
    try (ResultSet rows = connection.createStatement().executeQuery(query)) {
      while (rows.next()) {
        strings.add(rows.getString(1));
      }
    }
    return strings;
  }
}
