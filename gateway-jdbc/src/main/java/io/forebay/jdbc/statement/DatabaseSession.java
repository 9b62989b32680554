/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.database.Dialect;
import io.forebay.database.Sessions;
import io.forebay.database.SqlErrors;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;
import org.postgresql.core.BaseConnection;
import org.postgresql.core.TransactionState;

/**
 * The one connection of a partition, with its prepared statements. Not shared: for the partition's
 * thread only.
 *
 * <p>A statement that fails outside a savepoint dooms the transaction: {@link #commit()} then
 * refuses, since PostgreSQL's driver returns normally from the commit of a failed transaction.
 */
public final class DatabaseSession implements AutoCloseable {

  private static final int MAX_PREPARED = 256;
  private static final Duration NETWORK_SLACK = Duration.ofSeconds(10);

  /**
   * How many slow statements a batch may have until PostgreSQL 17 or later terminates it. What
   * hangs is ended by {@code idle_in_transaction_session_timeout}.
   */
  private static final int STATEMENTS_IN_TIME = 1_000;

  /** A constraint that is created while the gateway runs is known after this time at the latest. */
  private static final Duration CONSTRAINTS_KNOWN = Duration.ofMinutes(1);

  private final Connection connection;
  private final Dialect dialect;
  private final Duration statementTimeout;
  private final @Nullable SessionState state; // of PostgreSQL

  /** Whether a commit failed that may have left the state of the session as it was. */
  private boolean spoilt;

  /** SQL that checks all deferred constraints; empty if the database has none. */
  private String checkDeferred = "";

  private long constraintsReadAt;
  private boolean constraintsRead;
  private final Map<String, PreparedStatement> prepared = new LinkedHashMap<>(64, 0.75f, true);

  /** Connects; nothing stays open if that fails. */
  public static DatabaseSession open(DataSource dataSource, Duration statementTimeout)
      throws SQLException {
    Connection connection = dataSource.getConnection();
    try {
      return new DatabaseSession(connection, statementTimeout);
    } catch (SQLException | RuntimeException e) {
      try (connection) {
        throw e;
      }
    }
  }

  public DatabaseSession(Connection connection, Duration statementTimeout) throws SQLException {
    this.connection = connection;
    this.dialect = Dialect.of(connection);
    this.statementTimeout = statementTimeout;
    Sessions.prepare(
        connection, statementTimeout, statementTimeout.multipliedBy(STATEMENTS_IN_TIME));
    if (dialect == Dialect.POSTGRESQL && connection.getNetworkTimeout() == 0) {
      // detects an unreachable server even if the network reports no error
      Duration longest = statementTimeout.plus(NETWORK_SLACK);
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

  /** The id of the PostgreSQL process that serves the session; 0 on HSQLDB. */
  public int process() {
    return state == null ? 0 : state.process();
  }

  /** Returns a prepared statement from the cache of the most recently used ones. */
  public PreparedStatement prepare(String sql) throws SQLException {
    PreparedStatement statement = prepared.get(sql);
    if (statement == null) {
      statement = connection.prepareStatement(sql);
      if (dialect == Dialect.HSQLDB) {
        statement.setQueryTimeout(Math.toIntExact(statementTimeout.toSeconds()));
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

  /**
   * Makes PostgreSQL plan a statement for each execution: a plan that was made while a table was
   * empty would scan the whole table.
   */
  public void planEachTime(String sql) throws SQLException {
    if (dialect == Dialect.POSTGRESQL) {
      prepare(sql).unwrap(PGStatement.class).setPrepareThreshold(0);
    }
  }

  /** Returns a prepared statement, as {@link #prepare}, with its parameters set. */
  public PreparedStatement bind(String sql, @Nullable Object... arguments) throws SQLException {
    PreparedStatement statement = prepare(sql);
    for (int i = 0; i < arguments.length; i++) {
      statement.setObject(i + 1, arguments[i]);
    }
    return statement;
  }

  /** Performs an update of Forebay's own; returns the number of rows. */
  public int update(String sql, @Nullable Object... arguments) throws SQLException {
    return bind(sql, arguments).executeUpdate();
  }

  /**
   * A column of rows as an array of PostgreSQL.
   *
   * @param type the class of its values
   * @param name of the type of PostgreSQL
   */
  public Array column(List<@Nullable Object[]> rows, int column, Class<?> type, String name)
      throws SQLException {
    @Nullable Object[] values =
        (@Nullable Object[]) java.lang.reflect.Array.newInstance(type, rows.size());
    for (int row = 0; row < values.length; row++) {
      values[row] = rows.get(row)[column];
    }
    return connection.createArrayOf(name, values);
  }

  /** Performs a query of Forebay's own. */
  public ResultSet query(String sql, @Nullable Object... arguments) throws SQLException {
    return bind(sql, arguments).executeQuery();
  }

  /** Sets the parameters of a statement to the values of a row. */
  @FunctionalInterface
  public interface RowBinding {
    void bind(PreparedStatement statement, @Nullable Object[] row) throws SQLException;
  }

  /**
   * Performs an update once per row, as one JDBC batch. A prepared statement whose batch failed is
   * not used again: HSQLDB may keep what was added.
   *
   * @return how many rows each changed; negative if the database does not say it
   */
  public int[] batch(String sql, List<@Nullable Object[]> rows, RowBinding binding)
      throws SQLException {
    try {
      PreparedStatement statement = prepare(sql);
      for (@Nullable Object[] row : rows) {
        binding.bind(statement, row);
        statement.addBatch();
      }
      return statement.executeBatch();
    } catch (SQLException | RuntimeException e) {
      try (PreparedStatement _ = prepared.remove(sql)) {
        if (e instanceof SQLException failure
            && failure.getSQLState() == null
            && failure.getNextException() != null) {
          throw failure.getNextException(); // the driver's error, with its SQLState
        }
        throw e;
      }
    }
  }

  /**
   * Reads which constraints PostgreSQL may check at the commit, if that was not done within the
   * last minute. They must be checked after each message, because at the commit of a batch a later
   * message may have repaired what an earlier one broke.
   *
   * @param nanos a monotonic clock
   */
  public void readConstraints(long nanos) throws SQLException {
    if (dialect == Dialect.POSTGRESQL
        && (!constraintsRead || nanos - constraintsReadAt >= CONSTRAINTS_KNOWN.toNanos())) {
      checkDeferred = deferredCheck();
      constraintsReadAt = nanos;
      constraintsRead = true;
    }
  }

  /** Whether each message must be followed by {@link #checkDeferred}. */
  public boolean hasDeferred() {
    return !checkDeferred.isEmpty();
  }

  /** Checks the deferred constraints now, and defers them again. */
  public void checkDeferred() throws SQLException {
    if (hasDeferred()) {
      execute(checkDeferred);
    }
  }

  /** The statement, followed by {@link #checkDeferred} in the same round trip. */
  public String withCheck(String sql) {
    return hasDeferred() ? sql + "\n;" + checkDeferred : sql;
  }

  /** SQL that checks all deferred constraints and restores which constraints are deferred. */
  private String deferredCheck() throws SQLException {
    PreparedStatement select =
        prepare(
            "select count(*), string_agg(format('%I.%I', n.nspname, c.conname), ', ')"
                + " filter (where not c.condeferred and has_schema_privilege(n.oid, 'USAGE'))"
                + " from pg_constraint c join pg_namespace n on n.oid = c.connamespace"
                + " where c.condeferrable");
    try (ResultSet row = select.executeQuery()) {
      row.next();
      if (row.getLong(1) == 0) {
        return "";
      }
      String check = "set constraints all immediate; set constraints all deferred";
      String atOnce = row.getString(2);
      return atOnce == null ? check : check + "; set constraints " + atOnce + " immediate";
    }
  }

  /**
   * Sets the mark to which {@link #backToMark} returns. There is one at a time.
   *
   * @throws SessionFailed if the database refuses it or does not answer in time
   */
  public void mark() throws SQLException {
    control("savepoint forebay");
  }

  /**
   * Keeps what was done since the mark, unless the transaction is rolled back.
   *
   * @param restore whether to restore the session settings, too
   * @throws SessionFailed as {@link #mark}
   */
  public void moveMark(boolean restore) throws SQLException {
    control(
        "release savepoint forebay; "
            + (restore && state != null ? state.restore() + "; " : "")
            + "savepoint forebay");
  }

  /**
   * Rolls back to the mark, which stays set.
   *
   * @throws SessionFailed as {@link #mark}
   */
  public void backToMark() throws SQLException {
    control("rollback to savepoint forebay");
  }

  private void control(String sql) throws SQLException {
    try {
      execute(sql);
    } catch (SQLException e) {
      throw new SessionFailed(e);
    }
  }

  public void rollback() throws SQLException {
    connection.rollback();
  }

  /**
   * Says that statements of the open transaction run code other than PostgreSQL's own, which may
   * change the session even if the transaction is rolled back.
   */
  public void runsUnknownCode() {
    if (state != null) {
      state.runsUnknownCode();
    }
  }

  /**
   * Commits. On PostgreSQL this restores the session settings if {@link #runsUnknownCode unknown
   * code} may have changed them; if that fails, the outcome is unknown.
   *
   * @throws SQLException if it did not commit, or if the outcome is unknown
   * @throws IllegalStateException if there is no open transaction to commit: nothing was committed
   */
  public void commit() throws SQLException {
    if (state == null) {
      connection.commit();
      return;
    }
    mustBeOpen();
    spoilt = state.mustBeRestored();
    state.commit();
    spoilt = false;
  }

  /** Whether {@link #commitWith} sends both at once. */
  public boolean commitsWithUpdate() {
    return state != null && !state.mustBeRestored();
  }

  /**
   * Performs an update and commits, in one round trip. Only if {@link #commitsWithUpdate}. If the
   * update fails, nothing is committed.
   *
   * @throws SQLException if it did not commit, or if the outcome is unknown
   * @throws IllegalStateException as {@link #commit()}
   */
  public void commitWith(String update, @Nullable Object... arguments) throws SQLException {
    mustBeOpen();
    bind(update + "; commit", arguments).execute();
  }

  /**
   * Whether this error of {@link #commit} or {@link #commitWith} proves that nothing was committed.
   * A session of PostgreSQL that continues after an error of COMMIT has rolled back, unless what
   * failed may have been to restore it.
   */
  public boolean hasRolledBack(SQLException e) throws SQLException {
    return SqlErrors.rolledBack(e)
        || (dialect == Dialect.POSTGRESQL
            && !spoilt
            && SqlErrors.of(e) != SqlErrors.CONNECTION
            && !connection.isClosed());
  }

  private void mustBeOpen() throws SQLException {
    TransactionState transaction = connection.unwrap(BaseConnection.class).getTransactionState();
    if (transaction != TransactionState.OPEN) {
      throw new IllegalStateException("the transaction to commit is " + transaction);
    }
  }

  /** Whether statements of the open transaction changed session state that later ones would see. */
  public boolean isChanged() throws SQLException {
    return state != null && state.isChanged();
  }

  /** Runs internal statements without parameters and result. */
  public void execute(String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /**
   * Closes the connection in any state. The database rolls back an open transaction. A session that
   * holds locks or could not be restored does not return to a pool.
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
