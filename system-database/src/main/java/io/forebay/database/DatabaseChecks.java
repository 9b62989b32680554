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
 * Finds what would make the gateway's promises untrue: a database that loses confirmed commits, and
 * a role that may do more than statements should.
 */
public final class DatabaseChecks {

  private DatabaseChecks() {}

  /**
   * To be called when the database first answers, after the migrations. Ends the transaction of the
   * connection, if one is open.
   *
   * @param gateway a connection of the role that performs statements
   * @param owner of the ledger; HSQLDB shows its settings to an administrator only
   * @param level what the queue in front of the database survives; a database in memory will do for
   *     a queue in memory
   * @throws UnsafeDatabase with everything that is wrong and what to change
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

  /** The first column of what the query finds. */
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
