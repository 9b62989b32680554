/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.jdbc.statement.SqlRules;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection of a partition and what is prepared on it. It is opened when it is needed; after
 * an error it is given up and the next use opens another one. For one thread.
 */
final class PartitionSession {

  private static final Logger log = LoggerFactory.getLogger(PartitionSession.class);

  private final GatewaySettings settings;
  private final DataSource dataSource;
  private final WriteProbe probe;
  private @Nullable DatabaseSession session;
  private @Nullable SqlRules rules;
  private @Nullable Performer performer;

  PartitionSession(GatewaySettings settings, DataSource dataSource, WriteProbe probe) {
    this.settings = settings;
    this.dataSource = dataSource;
    this.probe = probe;
  }

  DatabaseSession open() throws SQLException {
    DatabaseSession current = session;
    if (current == null) {
      current = DatabaseSession.open(dataSource, settings.statementTimeout());
      session = current;
      if (rules == null) {
        rules = new SqlRules(current.dialect());
      }
      performer = new Performer(current, settings, rules, probe);
    }
    return current;
  }

  boolean isOpen() {
    return session != null;
  }

  /** The rules of the database; known since the first connection. */
  SqlRules rules() {
    return Objects.requireNonNull(rules);
  }

  /** The performer of the open connection. */
  Performer performer() {
    return Objects.requireNonNull(performer);
  }

  /** Closes the connection, which rolls back an open transaction. */
  void giveUp() {
    DatabaseSession current = session;
    session = null;
    performer = null;
    if (current != null) {
      try {
        current.close();
      } catch (SQLException e) {
        log.debug("A broken connection could not be closed", e);
      }
    }
  }
}
