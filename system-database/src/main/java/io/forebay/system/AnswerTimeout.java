/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Limits how long a server may take to answer. */
final class AnswerTimeout extends DelegatingDataSource {

  private final Duration answer;

  AnswerTimeout(DataSource source, Duration answer) {
    super(source);
    this.answer = answer;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = super.getConnection();
    try {
      connection.setNetworkTimeout(Runnable::run, Math.toIntExact(answer.toMillis()));
    } catch (SQLFeatureNotSupportedException _) {
      // an embedded database has no network connection
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
    return connection;
  }
}
