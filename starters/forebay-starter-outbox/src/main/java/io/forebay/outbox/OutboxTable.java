/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import io.forebay.database.Dialect;
import io.forebay.database.Migrations;
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

  /** Creates or updates it. Its history is not that of the caller's own migrations. */
  static void migrate(DataSource database) throws SQLException {
    Dialect dialect;
    try (Connection connection = database.getConnection()) {
      dialect = Dialect.of(connection);
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

  private static Map<String, String> types(Dialect dialect) {
    return switch (dialect) {
      case HSQLDB -> Map.of("table", "cached table", "bytes", "varbinary(16M)");
      case POSTGRESQL -> Map.of("table", "table", "bytes", "bytea");
    };
  }
}
