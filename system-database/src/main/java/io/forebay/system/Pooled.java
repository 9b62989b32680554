/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
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
public final class Pooled extends DelegatingDataSource {

  private final Duration wait;
  private final @Nullable Duration answer;

  private Pooled(DataSource source, Duration wait, @Nullable Duration answer) {
    super(source);
    this.wait = wait;
    this.answer = answer;
  }

  /**
   * Opens a pool that connects on demand. The caller closes it.
   *
   * @param wait how long a connection is waited for
   * @param answer how long a server may take to answer; null for the default of the source
   */
  public static HikariDataSource pool(
      String name, DataSource source, int connections, Duration wait, @Nullable Duration answer) {
    HikariConfig config = new HikariConfig();
    config.setPoolName(name);
    config.setDataSource(new Pooled(source, wait, answer));
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(0);
    config.setIdleTimeout(Duration.ofMinutes(1).toMillis());
    config.setConnectionTimeout(wait.toMillis());
    config.setValidationTimeout(wait.toMillis() / 2);
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
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
    return Math.toIntExact(wait.toSeconds());
  }

  @Override
  public void setLoginTimeout(int seconds) {}
}
