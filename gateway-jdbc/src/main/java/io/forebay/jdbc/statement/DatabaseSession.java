/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.database.Dialect;
import io.forebay.database.Sessions;
import io.forebay.jdbc.Limits;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one connection of a partition, with its prepared statements. Not shared: for the partition's
 * thread only.
 *
 * <p>A statement that fails outside a savepoint dooms the transaction: {@link #commit()} then
 * refuses, since PostgreSQL's driver returns normally from the commit of a failed transaction.
 */
public final class DatabaseSession implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(DatabaseSession.class);
  private static final int MAX_PREPARED = 256;
  private static final Duration NETWORK_SLACK = Duration.ofSeconds(10);

  private final Connection connection;
  private final Dialect dialect;
  private final Limits limits;
  private final @Nullable SessionState state; // of PostgreSQL
  private boolean spoilt;
  private @Nullable Savepoint mark;
  private String checkDeferred = "";
  private final Map<String, PreparedStatement> prepared = new LinkedHashMap<>(64, 0.75f, true);

  /** Connects; nothing stays open if that fails. */
  public static DatabaseSession open(DataSource dataSource, Limits limits) throws SQLException {
    Connection connection = dataSource.getConnection();
    try {
      return new DatabaseSession(connection, limits);
    } catch (SQLException | RuntimeException e) {
      try (connection) {
        throw e;
      }
    }
  }

  public DatabaseSession(Connection connection, Limits limits) throws SQLException {
    this.connection = connection;
    this.dialect = Dialect.of(connection);
    this.limits = limits;
    Sessions.prepare(connection, limits.statementTimeout(), limits.transactionTimeout());
    if (dialect == Dialect.POSTGRESQL && connection.getNetworkTimeout() == 0) {
      // a server that is cut off is noticed, however silent the network is
      Duration longest = limits.statementTimeout().plus(NETWORK_SLACK);
      connection.setNetworkTimeout(Runnable::run, Math.toIntExact(longest.toMillis()));
    }
    state = dialect == Dialect.POSTGRESQL ? new SessionState(connection) : null;
  }

  public Dialect dialect() {
    return dialect;
  }

  public Connection connection() {
    return connection;
  }

  /** A prepared statement that stays prepared as long as it is among the last used. */
  public PreparedStatement prepare(String sql) throws SQLException {
    PreparedStatement statement = prepared.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      if (dialect == Dialect.HSQLDB) {
        statement.setQueryTimeout(Math.toIntExact(limits.statementTimeout().toSeconds()));
      }
      prepared.put(sql, statement);
      if (prepared.size() > MAX_PREPARED) {
        var eldest = prepared.entrySet().iterator();
        eldest.next().getValue().close();
        eldest.remove();
      }
    }
    return statement;
  }

  /** Sets the mark to which {@link #backToMark} returns. There is one at a time. */
  public void mark() throws SQLException {
    if (dialect == Dialect.POSTGRESQL) {
      checkDeferred = checkDeferred();
      execute("savepoint forebay");
    } else {
      mark = connection.setSavepoint();
    }
  }

  /**
   * What was done since the mark stays, unless the transaction is undone. On PostgreSQL constraints
   * that are checked at the commit are checked now, while it is known who broke them, and the
   * session is again as it was set up.
   */
  public void moveMark() throws SQLException {
    if (dialect == Dialect.POSTGRESQL) {
      execute(
          checkDeferred
              + "; release savepoint forebay; "
              + Objects.requireNonNull(state).restore()
              + "; savepoint forebay");
    } else {
      connection.releaseSavepoint(mark);
      mark = connection.setSavepoint();
    }
  }

  /** Undoes what was done since the mark, which stays where it is. */
  public void backToMark() throws SQLException {
    if (dialect == Dialect.POSTGRESQL) {
      execute("rollback to savepoint forebay");
    } else {
      connection.rollback(mark); // which drops it on HSQLDB
      mark = connection.setSavepoint();
    }
  }

  /** Checks what is deferred, and then defers again what was deferred before, and nothing else. */
  private String checkDeferred() throws SQLException {
    String check = "set constraints all immediate; set constraints all deferred";
    PreparedStatement select =
        prepare(
            "select string_agg(format('%I.%I', n.nspname, c.conname), ', ')"
                + " from pg_constraint c join pg_namespace n on n.oid = c.connamespace"
                + " where c.condeferrable and not c.condeferred"
                + " and has_schema_privilege(n.oid, 'USAGE')");
    try (ResultSet row = select.executeQuery()) {
      row.next();
      String atOnce = row.getString(1);
      return atOnce == null ? check : check + "; set constraints " + atOnce + " immediate";
    }
  }

  public void rollback() throws SQLException {
    connection.rollback();
  }

  /**
   * Commits. On PostgreSQL the session is then as it was set up, or {@link #isSpoilt}.
   *
   * @throws SQLException if it did not commit, or if that is not known
   * @throws IllegalStateException if there is no open transaction to commit: nothing was committed
   */
  public void commit() throws SQLException {
    if (dialect == Dialect.POSTGRESQL) {
      TransactionState transaction = connection.unwrap(BaseConnection.class).getTransactionState();
      if (transaction != TransactionState.OPEN) {
        throw new IllegalStateException("the transaction to commit is " + transaction);
      }
      SQLException failure = Objects.requireNonNull(state).commit();
      if (failure != null) {
        log.warn("A session could not be restored after a commit; it is replaced", failure);
        spoilt = true;
      }
    } else {
      connection.commit();
    }
  }

  /** Whether statements of the open transaction changed what the next ones would see. */
  public boolean isChanged() throws SQLException {
    return state != null && state.isChanged();
  }

  /** Whether it must not be used any more, since statements changed it for good. */
  public boolean isSpoilt() {
    return spoilt;
  }

  /** Runs statements of our own that have no parameters and no result. */
  public void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /**
   * Gives the connection up, whatever state it is in. The database rolls back what is open. A pool
   * gets no session back that holds locks, or that could not be restored.
   */
  @Override
  public void close() throws SQLException {
    try (connection) {
      if (!connection.getAutoCommit()) {
        connection.rollback();
      }
      if (spoilt) {
        connection.abort(Runnable::run);
      } else if (dialect == Dialect.POSTGRESQL && !connection.isClosed()) {
        execute("select pg_catalog.pg_advisory_unlock_all()");
        connection.rollback();
      }
    }
  }
}
