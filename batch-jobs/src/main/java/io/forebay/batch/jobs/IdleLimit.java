/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;

/**
 * Limits how long the rest of a transaction may idle. A process that freezes between two statements
 * keeps its row locks; PostgreSQL then ends its session, and another process can take its execution
 * over.
 */
final class IdleLimit implements Runnable {

  private final DataSource database;
  private final Duration limit;

  IdleLimit(DataSource database, Duration limit) {
    this.database = database;
    this.limit = limit;
  }

  /** Limits the transaction of the calling thread. Has no effect on HSQLDB. */
  @Override
  public void run() {
    Connection connection = DataSourceUtils.getConnection(database);
    try (Statement statement = connection.createStatement()) {
      if ("PostgreSQL".equals(connection.getMetaData().getDatabaseProductName())) {
        statement.execute("set local idle_in_transaction_session_timeout = " + limit.toMillis());
      }
    } catch (SQLException e) {
      throw new SQLExceptionSubclassTranslator().translate("limit of a transaction", null, e);
    } finally {
      DataSourceUtils.releaseConnection(connection, database);
    }
  }
}
