/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import io.forebay.queue.Level;
import io.forebay.service.Unavailable;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The database of a gateway, made ready when it first answers. Thread-safe. */
final class GatewayDatabase {

  private final DataSource gateway;
  private final DataSource owner;
  private final Level queueLevel;
  private boolean ready;

  /**
   * @param gateway connects as the role that performs
   * @param owner connects as the role that owns schema forebay
   * @param queueLevel what the queue promises, so that the database is held to the same
   */
  GatewayDatabase(DataSource gateway, DataSource owner, Level queueLevel) {
    this.gateway = gateway;
    this.owner = owner;
    this.queueLevel = queueLevel;
  }

  DataSource dataSource() {
    return gateway;
  }

  /**
   * Creates or updates the tables and checks the settings, once.
   *
   * @throws Unavailable if the database does not answer
   * @throws UnsafeDatabase if its settings would break what the gateway promises
   */
  synchronized void prepare() {
    if (ready) {
      return;
    }
    try (Connection connection = gateway.getConnection()) {
      Migrations.run(owner, connection.getMetaData().getUserName());
      DatabaseChecks.run(connection, owner, queueLevel);
    } catch (SQLException e) {
      throw new Unavailable(
          "the database does not answer (SQLState %s: %s)"
              .formatted(e.getSQLState(), e.getMessage()),
          e);
    }
    ready = true;
  }
}
