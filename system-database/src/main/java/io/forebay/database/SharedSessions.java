/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import io.forebay.machine.Machine;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/**
 * Detects a pooler between gateway and PostgreSQL that assigns a server session to another client
 * after each transaction, such as PgBouncer in transaction mode.
 *
 * <p>A pooler reports an invented process id to the driver. Only in that case the check opens a
 * second connection. If the server process of the first connection, which is still open, also
 * serves the second one, the two share it.
 */
public final class SharedSessions {

  private static final Duration SECOND_CONNECTION = Duration.ofSeconds(5);

  private SharedSessions() {}

  /**
   * @param first connection of the data source, without an open transaction
   * @throws UnsafeDatabase if sessions are shared; not thrown if no second connection can be
   *     opened, because the check is then impossible
   */
  public static void refuse(Connection first, DataSource dataSource) throws SQLException {
    if (Dialect.of(first) != Dialect.POSTGRESQL) {
      return;
    }
    boolean autoCommit = first.getAutoCommit();
    first.setAutoCommit(true);
    try {
      int process = process(first);
      if (process != first.unwrap(PGConnection.class).getBackendPID()
          && isShared(first, process, dataSource)) {
        throw new UnsafeDatabase(
            "A pooler shares sessions of the server among connections, transaction by transaction"
                + " (as PgBouncer with pool_mode = transaction), so other clients would get the"
                + " settings and locks of Forebay: set pool_mode = session for this database"
                + " and user, or connect to the server directly");
      }
    } finally {
      first.setAutoCommit(autoCommit);
    }
  }

  private static boolean isShared(Connection first, int process, DataSource dataSource)
      throws SQLException {
    CompletableFuture<Integer> second = new CompletableFuture<>();
    Thread.ofVirtual()
        .name("forebay-pooler-check")
        .start(() -> {
          try (Connection connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            second.complete(process(connection));
            connection.rollback();
          } catch (SQLException | RuntimeException e) {
            second.completeExceptionally(e);
          }
        });
    try {
      return Machine.get(second, SECOND_CONNECTION) == process || process(first) != process;
    } catch (TimeoutException | ExecutionException _) {
      return false; // the pool or the pooler has no second connection
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("interrupted while a second connection was opened", e);
    }
  }

  /**
   * The id of the PostgreSQL process that performs the statements of this connection, also behind a
   * pooler.
   */
  public static int process(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("select pg_backend_pid()")) {
      row.next();
      return row.getInt(1);
    }
  }
}
