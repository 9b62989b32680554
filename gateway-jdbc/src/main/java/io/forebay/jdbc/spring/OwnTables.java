/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.spring;

import io.forebay.database.EmbeddedDatabase;
import io.forebay.database.Migrations;
import io.forebay.operations.StartRefused;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.springframework.util.ClassUtils;

/**
 * The application's own tables in the embedded database. Migrations create them, and the gateway
 * may use them.
 */
final class OwnTables {

  private static final String HISTORY = "flyway_history_";
  private static final Set<String> NOT_OWN = Set.of("INFORMATION_SCHEMA", "SYSTEM_LOBS", "FOREBAY");

  private OwnTables() {}

  /**
   * Migrates as the owner, with a separate history per gateway, and grants the gateway's role
   * select, insert, update and delete on all application tables. Retries a migration that failed
   * before.
   *
   * @param locations in Flyway's syntax, for example {@code classpath:db/orders} or {@code
   *     filesystem:db}
   * @throws StartRefused if Flyway refuses them, or one fails
   */
  static void migrate(EmbeddedDatabase database, String gateway, List<String> locations)
      throws SQLException {
    FluentConfiguration configuration =
        Flyway.configure(ClassUtils.getDefaultClassLoader())
            .dataSource(database.owner())
            .locations(locations.toArray(String[]::new))
            .failOnMissingLocations(true)
            .table(HISTORY + gateway)
            .baselineOnMigrate(true)
            .baselineVersion("0")
            .placeholderReplacement(false) // a text may have ${…}
            .loggers("slf4j");
    forgetFailure(database, HISTORY + gateway);
    try {
      Migrations.quietly(() -> configuration.load().migrate());
    } catch (FlywayException e) {
      throw new StartRefused(
          "The migrations of gateway %s (%s) failed; correct them and start again:%n%n%s"
              .formatted(gateway, String.join(", ", locations), e.getMessage()),
          e);
    }
    for (String table : tables(database)) {
      database.grantAll(table);
    }
  }

  /**
   * Deletes failed migrations from the history, because Flyway would refuse to continue. The author
   * of a failed migration has reverted or repaired it.
   */
  private static void forgetFailure(EmbeddedDatabase database, String history) throws SQLException {
    try (Connection connection = database.owner().getConnection();
        ResultSet table = connection.getMetaData().getTables(null, "PUBLIC", history, null);
        Statement statement = connection.createStatement()) {
      if (table.next()) {
        statement.execute("delete from \"" + history + "\" where \"success\" = false");
      }
    }
  }

  private static List<String> tables(EmbeddedDatabase database) throws SQLException {
    List<String> tables = new ArrayList<>();
    try (Connection connection = database.owner().getConnection();
        ResultSet found =
            connection.getMetaData().getTables(null, null, "%", new String[] {"TABLE"})) {
      while (found.next()) {
        String schema = found.getString("TABLE_SCHEM");
        String table = found.getString("TABLE_NAME");
        if (!NOT_OWN.contains(schema) && !table.startsWith(HISTORY)) {
          tables.add('"' + schema + "\".\"" + table + '"');
        }
      }
    }
    return tables;
  }
}
