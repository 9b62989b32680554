/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.forebay.database.DatabaseProbe;
import io.forebay.database.Migrations;
import io.forebay.database.TableRights;
import io.forebay.service.progress.Unavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataIntegrityViolationException;
import org.springframework.dao.InvalidDataAccessApiUsageException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The database of tokens, users, audit and desired states. It is migrated when it first responds.
 * Its tables are in schema {@code forebay}. Thread-safe.
 *
 * <p>A statement times out after {@value #STATEMENT_SECONDS} s.
 */
public final class SystemDatabase implements AutoCloseable {

  private static final int STATEMENT_SECONDS = 5;
  private static final int CONNECTIONS = 4;
  private static final Duration WAIT = Duration.ofSeconds(2);

  private final DataSource user;
  private final DataSource owner;
  private final boolean shared;
  private final HikariDataSource pool;
  private final JdbcClient client;
  private final TransactionTemplate serializable;
  private final ReentrantLock preparing = new ReentrantLock();
  private volatile boolean ready;

  /**
   * @param user connects as the role that reads and writes; opened at the first query
   * @param owner connects as the role that owns schema forebay
   */
  public SystemDatabase(DataSource user, DataSource owner) {
    this(user, owner, true);
  }

  /**
   * @param shared whether other instances may use the database too
   */
  public SystemDatabase(DataSource user, DataSource owner, boolean shared) {
    this.user = user;
    this.owner = owner;
    this.shared = shared;
    pool = pool("forebay-system", CONNECTIONS, null);
    JdbcTemplate template = new JdbcTemplate(pool);
    template.setQueryTimeout(STATEMENT_SECONDS);
    client = JdbcClient.create(template);
    serializable = new TransactionTemplate(new JdbcTransactionManager(pool));
    serializable.setIsolationLevel(TransactionDefinition.ISOLATION_SERIALIZABLE);
  }

  private HikariDataSource pool(String name, int connections, @Nullable Duration answer) {
    HikariConfig config = new HikariConfig();
    config.setPoolName(name);
    config.setDataSource(new Pooled(user, answer));
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(0);
    config.setIdleTimeout(Duration.ofMinutes(1).toMillis());
    config.setConnectionTimeout(WAIT.toMillis());
    config.setValidationTimeout(WAIT.toMillis() / 2);
    config.setInitializationFailTimeout(-1);
    return new HikariDataSource(config);
  }

  /**
   * Returns a separate pool for users that keep a connection for more than one query, such as jobs.
   * It opens the first connection on demand, after the migration. The caller closes the pool.
   *
   * @param name the name of the pool
   * @param connections the maximum number of connections
   * @param answer how long a statement on a server may take before the server counts as unavailable
   */
  public SystemConnections open(String name, int connections, Duration answer) {
    return new SystemConnections(pool(name, connections, answer), this::prepare);
  }

  /** Whether other processes can reach the database: an HSQLDB only if it runs as a server. */
  public static boolean isShared(String url) {
    return !url.startsWith("jdbc:hsqldb:") || url.startsWith("jdbc:hsqldb:hsql");
  }

  /** Whether other instances may use the database too; not an embedded database. */
  public boolean isShared() {
    return shared;
  }

  /**
   * Queries the database. Each statement has its own transaction.
   *
   * @throws Unavailable if the database does not respond or refuses; the message contains the
   *     SQLState
   * @throws DataIntegrityViolationException if a table constraint is violated
   */
  public <T> T ask(Function<JdbcClient, T> question) {
    return guarded(() -> question.apply(client));
  }

  /**
   * Queries the database in one serializable transaction. A conflict throws {@link Unavailable}; a
   * retry helps.
   *
   * @throws Unavailable like {@link #ask}; nothing was changed, unless the answer to the commit was
   *     lost
   * @throws DataIntegrityViolationException if a table constraint is violated; nothing was changed
   */
  public <T> T inTransaction(Function<JdbcClient, T> question) {
    return guarded(() -> serializable.execute(_ -> question.apply(client)));
  }

  /**
   * Reports only errors of the database or its connection as {@link Unavailable}; others are
   * defects.
   */
  private <T> T guarded(Supplier<T> action) {
    prepare();
    try {
      return action.get();
    } catch (DataIntegrityViolationException | InvalidDataAccessApiUsageException e) {
      throw e;
    } catch (DataAccessException | TransactionException e) {
      throw unavailable(e);
    }
  }

  /** For the self-test, which does not wait for a pooled connection. */
  public DatabaseProbe probe() {
    return new DatabaseProbe(user, owner, false);
  }

  private void prepare() {
    if (ready) {
      return;
    }
    boolean alone = false;
    try {
      alone = preparing.tryLock(WAIT.toMillis(), TimeUnit.MILLISECONDS);
      if (!alone) {
        throw new Unavailable(
            "the system database is still being migrated", new TimeoutException());
      }
      if (!ready) {
        migrate();
        ready = true;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new Unavailable("interrupted while the system database was being migrated", e);
    } finally {
      if (alone) {
        preparing.unlock();
      }
    }
  }

  private void migrate() {
    try (Connection connection = pool.getConnection()) {
      Migrations.run(owner, connection.getMetaData().getUserName(), TableRights.SYSTEM);
    } catch (SQLException e) {
      throw unavailable(e);
    }
  }

  /** Omits the driver's message, which may contain values. */
  private static Unavailable unavailable(Exception failure) {
    String state = "none";
    for (@Nullable Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof SQLException sql && sql.getSQLState() != null) {
        state = sql.getSQLState();
      }
    }
    return new Unavailable(
        "the system database does not respond (SQLState " + state + ")", failure);
  }

  @Override
  public void close() {
    pool.close();
  }

  /**
   * Reports a login timeout to the pool, which waits that long for its threads when it is closed,
   * and warns if it is zero. The wrapped data sources have no such setting.
   */
  private static final class Pooled extends DelegatingDataSource {

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
      return Math.toIntExact(WAIT.toSeconds());
    }

    @Override
    public void setLoginTimeout(int seconds) {}
  }
}
