/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Makes connection pools. A pool opens the first connection on demand. */
public final class Pools {

  private Pools() {}

  /** A bean with pools, whose meters {@link PoolMetricsAutoConfiguration} registers. */
  public interface Owner {

    Stream<HikariDataSource> pools();
  }

  /**
   * @param connections the maximum number of connections
   * @param wait how long a caller waits for a connection
   */
  public static HikariDataSource open(
      String name, DataSource source, int connections, Duration wait) {
    HikariConfig config = new HikariConfig();
    config.setPoolName(name);
    config.setDataSource(new Pooled(source, wait));
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(0);
    config.setIdleTimeout(Duration.ofMinutes(1).toMillis());
    config.setConnectionTimeout(wait.toMillis());
    // Whole seconds: HSQLDB's driver knows no others.
    config.setValidationTimeout(Math.max(1, wait.toSeconds() / 2) * 1_000);
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  /** Ends a session whose locks and settings must not return to the pool, if it is of one. */
  public static void end(DataSource source, Connection session) {
    try {
      if (session.getClass().getName().startsWith("com.zaxxer.hikari.") // not decorated
          && source.isWrapperFor(HikariDataSource.class)) {
        // It would warn of a connection that was aborted.
        source.unwrap(HikariDataSource.class).evictConnection(session);
      } else {
        try (session) {
          session.abort(Runnable::run);
        }
      }
    } catch (SQLException _) {
      // it has ended
    }
  }

  /**
   * Reports a login timeout to the pool, which waits that long for its threads when it is closed,
   * and warns if it is zero. The wrapped data sources have no such setting.
   */
  private static final class Pooled extends DelegatingDataSource {

    private final Duration wait;

    Pooled(DataSource source, Duration wait) {
      super(source);
      this.wait = wait;
    }

    @Override
    public int getLoginTimeout() {
      return Math.toIntExact(wait.toSeconds());
    }

    @Override
    public void setLoginTimeout(int seconds) {}
  }
}
