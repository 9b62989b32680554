/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import io.forebay.database.Dialect;
import io.forebay.database.Migrations;
import io.forebay.database.SharedSessions;
import io.forebay.database.UnsafeDatabase;
import io.forebay.operations.StartRefused;
import io.forebay.system.SystemDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;

/** Creates table {@code forebay_outbox} in the default schema, beside the caller's tables. */
final class OutboxTable {

  private static final String LOCATION = "classpath:io/forebay/outbox/";

  private OutboxTable() {}

  /**
   * Creates or updates it. Its history is not that of the caller's own migrations.
   *
   * @throws StartRefused if messages could be lost, or handed over by two processes
   * @throws UnsafeDatabase if it is another database, or a pooler shares its sessions
   */
  static void migrate(DataSource database) throws SQLException {
    Dialect dialect;
    try (Connection connection = database.getConnection()) {
      dialect = Dialect.of(connection);
      mustAutoCommit(connection);
      mustBeInThisProcess(connection, dialect);
      SharedSessions.refuse(connection, database);
    }
    Flyway flyway =
        Flyway.configure(OutboxTable.class.getClassLoader())
            .dataSource(database)
            .table("forebay_outbox_history")
            .baselineOnMigrate(true)
            .baselineVersion("0")
            .locations(LOCATION + "common", LOCATION + dialect.name().toLowerCase(Locale.ROOT))
            .failOnMissingLocations(false)
            .placeholders(types(dialect))
            .loggers("slf4j")
            .load();
    Migrations.quietly(flyway::migrate);
  }

  /** Such a connection looks as if it was in a transaction, but nobody commits what is sent. */
  private static void mustAutoCommit(Connection connection) throws SQLException {
    if (!connection.getAutoCommit()) {
      throw new StartRefused(
          "The DataSource of the outbox has auto-commit off, so messages that are sent outside of its transactions would be lost; remove spring.datasource.hikari.auto-commit=false");
    }
  }

  private static void mustBeInThisProcess(Connection connection, Dialect dialect)
      throws SQLException {
    if (dialect == Dialect.HSQLDB && SystemDatabase.isShared(connection.getMetaData().getURL())) {
      throw new StartRefused(
          "An HSQLDB server cannot have an outbox: two processes would hand over the same messages; use PostgreSQL");
    }
  }

  private static Map<String, String> types(Dialect dialect) {
    return switch (dialect) {
      case HSQLDB -> Map.of("table", "cached table", "bytes", "varbinary(16M)");
      case POSTGRESQL -> Map.of("table", "table", "bytes", "bytea");
    };
  }
}
