/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import com.zaxxer.hikari.HikariDataSource;
import io.forebay.database.Pools;
import io.forebay.service.progress.Unavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.stream.Stream;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * Pooled connections to the system database, which is migrated before the first one is opened.
 * Throws {@link SQLException} if the database is unavailable. Thread-safe.
 */
public final class SystemConnections extends DelegatingDataSource
    implements AutoCloseable, Pools.Owner {

  private final HikariDataSource pool;
  private final SystemLogin login;

  SystemConnections(HikariDataSource pool, SystemLogin login) {
    super(pool);
    this.pool = pool;
    this.login = login;
  }

  @Override
  public Connection getConnection() throws SQLException {
    try {
      login.prepare(pool);
    } catch (Unavailable e) {
      throw new SQLTransientConnectionException(e.getMessage(), "08001", e);
    }
    return pool.getConnection();
  }

  @Override
  public Stream<HikariDataSource> pools() {
    return Stream.of(pool);
  }

  @Override
  public void close() {
    pool.close();
  }
}
