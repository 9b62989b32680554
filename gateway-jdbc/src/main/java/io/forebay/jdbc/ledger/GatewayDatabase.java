/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import io.forebay.database.DatabaseChecks;
import io.forebay.database.Migrations;
import io.forebay.database.Sessions;
import io.forebay.database.SharedSessions;
import io.forebay.database.SqlErrors;
import io.forebay.queue.Level;
import io.forebay.service.progress.Unavailable;
import io.forebay.text.Formats;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** The database of a gateway, prepared when it first responds. Thread-safe. */
public final class GatewayDatabase {

  private static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(10);

  private final DataSource gateway;
  private final DataSource owner;
  private final Supplier<Level> queueLevel;
  private volatile boolean ready;

  /**
   * @param gateway connects as the gateway's role
   * @param owner connects as the role that owns schema forebay
   * @param queueLevel the durability of the queue, which the database must match; called when the
   *     database first responds
   */
  public GatewayDatabase(DataSource gateway, DataSource owner, Supplier<Level> queueLevel) {
    this.gateway = gateway;
    this.owner = owner;
    this.queueLevel = queueLevel;
  }

  /** Spares a gateway the preparation, because somebody else has prepared the database. */
  public void prepared() {
    ready = true;
  }

  public DataSource dataSource() {
    return gateway;
  }

  /** Whether the tables exist: the database has responded since this process started. */
  public boolean isReady() {
    return ready;
  }

  /**
   * Opens a connection in auto-commit mode for the work of an operator.
   *
   * @throws SQLException if the database does not respond or was never prepared
   */
  public Connection connect() throws SQLException {
    Connection connection = gateway.getConnection();
    try {
      Sessions.prepare(connection, OPERATION_TIMEOUT, OPERATION_TIMEOUT);
      connection.setAutoCommit(true);
      return connection;
    } catch (SQLException e) {
      try (connection) {
        throw e;
      }
    }
  }

  /**
   * Creates or updates the tables and checks the settings, once.
   *
   * @throws Unavailable if the database does not respond
   * @throws IllegalStateException if tables of the ledger are missing
   * @throws io.forebay.database.UnsafeDatabase if its settings would break the gateway's guarantees
   */
  public synchronized void prepare() {
    if (ready) {
      return;
    }
    try (Connection connection = gateway.getConnection()) {
      SharedSessions.refuse(connection, gateway);
      Migrations.run(owner, connection.getMetaData().getUserName());
      DatabaseChecks.run(connection, owner, queueLevel.get());
    } catch (SQLException e) {
      if (SqlErrors.isMissing(e)) {
        throw new IllegalStateException(
            ("schema forebay is damaged: its tables are not as this version created"
                    + " them (SQLState %s: %s); restore them or start over, see"
                    + " docs/operations.md, \"A table of Forebay is missing\"")
                .formatted(e.getSQLState(), e.getMessage()),
            e);
      }
      throw new Unavailable(
          SqlErrors.told(e) + ": " + Formats.clause(String.valueOf(e.getMessage())), e);
    }
    ready = true;
  }
}
