/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import io.forebay.queue.Level;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * Checks what the gateway's guarantees depend on: the database must not lose confirmed commits, and
 * the role that performs statements must not have more rights than statements need.
 */
public final class DatabaseChecks {

  private DatabaseChecks() {}

  /**
   * Call it when the database first responds, after the migrations. It rolls back the connection's
   * transaction, if one is open.
   *
   * @param gateway connection of the role that performs statements
   * @param owner owns the ledger; HSQLDB shows its settings to administrators only
   * @param level what the queue in front of the database survives; a database in memory is allowed
   *     only for a queue in memory
   * @throws UnsafeDatabase listing all violations and what to change
   */
  public static void run(Connection gateway, DataSource owner, Level level) throws SQLException {
    List<String> violations;
    try {
      violations =
          switch (Dialect.of(gateway)) {
            case POSTGRESQL -> new PostgresChecks(gateway).violations();
            case HSQLDB -> new HsqldbChecks(gateway, owner, level).violations();
          };
    } finally {
      if (!gateway.isClosed() && !gateway.getAutoCommit()) {
        gateway.rollback();
      }
    }
    if (!violations.isEmpty()) {
      throw new UnsafeDatabase(violations);
    }
  }

  /**
   * Checks that the role of jobs can neither create a token nor change the audit or the state of a
   * service.
   *
   * @throws UnsafeDatabase if it can
   */
  public static void ofJobs(Connection jobs) throws SQLException {
    List<String> reached = reached(jobs);
    if (!reached.isEmpty()) {
      throw new UnsafeDatabase(reached);
    }
  }

  /** The violation that this role has rights on a table of tokens, users, audit and the like. */
  static List<String> reached(Connection connection) throws SQLException {
    List<String> tables =
        switch (Dialect.of(connection)) {
          case POSTGRESQL -> PostgresChecks.accessible(connection);
          case HSQLDB -> HsqldbChecks.accessible(connection);
        };
    List<String> reached = tables.stream().filter(TableRights.SECRET::contains).toList();
    return reached.isEmpty()
        ? List.of()
        : List.of(
            "role %s may read or change tables of schema forebay (%s), so a statement or a job could"
                    .formatted(connection.getMetaData().getUserName(), String.join(", ", reached))
                + " create a token or delete audit entries: revoke all on them from this role, from"
                + " public and from every role it is a member of; Forebay grants it what it needs");
  }

  /** Returns the first column of the query's rows. */
  public static List<String> column(Connection connection, String sql, String... arguments)
      throws SQLException {
    List<String> values = new ArrayList<>();
    try (PreparedStatement query = connection.prepareStatement(sql)) {
      for (int i = 0; i < arguments.length; i++) {
        query.setString(i + 1, arguments[i]);
      }
      try (ResultSet rows = query.executeQuery()) {
        while (rows.next()) {
          values.add(rows.getString(1));
        }
      }
    }
    return values;
  }
}
