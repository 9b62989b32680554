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
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Reports a login timeout to the pool, which waits that long for its threads when it is closed, and
 * warns if it is zero. The wrapped data sources have no such setting.
 */
final class Pooled extends DelegatingDataSource {

  private final @Nullable Duration answer;

  /**
   * @param answer how long a server may take to answer; null for the default of the source
   */
  Pooled(DataSource source, @Nullable Duration answer) {
    super(source);
    this.answer = answer;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = super.getConnection();
    if (answer != null) {
      try {
        connection.setNetworkTimeout(Runnable::run, Math.toIntExact(answer.toMillis()));
      } catch (SQLFeatureNotSupportedException _) {
        // an embedded database has no network connection
      } catch (SQLException e) {
        connection.close();
        throw e;
      }
    }
    return connection;
  }

  @Override
  public int getLoginTimeout() {
    return Math.toIntExact(SystemLogin.WAIT.toSeconds());
  }

  @Override
  public void setLoginTimeout(int seconds) {}
}
