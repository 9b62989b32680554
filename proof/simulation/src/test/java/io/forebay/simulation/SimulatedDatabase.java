/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.database.Migrations;
import io.forebay.outbox.PreparedOutbox;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * HSQLDB in memory, as the server of a database that simulated processes reach over a network. One
 * transaction writes at a time, and others wait here, not within HSQLDB: so a thread of the
 * simulation never waits for a lock that only a dead or waiting one would release. It serves one
 * world at a time.
 */
final class SimulatedDatabase {

  static final String LOST = "08006";
  private static final String LOCK_TIMEOUT = "40001";
  private static final long LOCK_TIMEOUT_NANOS = 5_000_000_000L;
  private static final List<String> TABLES =
      List.of(
          "create table effects (number bigint not null, turn bigint generated always as identity)",
          "create index effects_number on effects (number)",
          "create table checked (number bigint not null, amount int check (amount >= 0))",
          "create table tally (name varchar(40) primary key, n bigint not null)",
          "create table large (x varchar(450000) not null)",
          "create table received (partition_id int not null, number bigint not null,"
              + " turn bigint not null, seq bigint generated always as identity)",
          "create table forebay_received (queue varchar(300) not null, partition_number int not"
              + " null, position bigint not null, primary key (queue, partition_number))");

  private static final String OUTCOMES =
      " from forebay.progress p join forebay.outcome o on o.service = p.service"
          + " and o.partition_id = p.partition_id and o.queue_id = p.queue_id";

  private static final AtomicInteger MADE = new AtomicInteger();

  private final String url;
  private final Connection keeper;
  private final List<PreparedStatement> emptying = new ArrayList<>();
  private final PreparedStatement progress;
  private final List<Connection> idle = new ArrayList<>();
  private final List<SimulatedConnection> open = new ArrayList<>();
  private final List<Thread> waiting = new ArrayList<>();
  private @Nullable SimulatedConnection writer;
  private DatabaseFaults faults = DatabaseFaults.NONE;
  private @Nullable World world;
  private long stillUntil;
  private List<String> performed = List.of();

  /** Creates a database with all tables; none of this JVM has its name. */
  SimulatedDatabase(String name) throws SQLException {
    url = "jdbc:hsqldb:mem:" + name + MADE.incrementAndGet() + ";hsqldb.tx=mvcc";
    keeper = real();
    Migrations.run(new Source(this::real), "SA");
    PreparedOutbox.createTable(new Source(this::real));
    try (Statement statement = keeper.createStatement()) {
      for (String table : TABLES) {
        statement.execute(table);
      }
    }
    for (String table :
        read(
            "select table_schema || '.\"' || table_name || '\"' from information_schema.tables"
                + " where table_schema in ('FOREBAY', 'PUBLIC') and table_type = 'BASE TABLE'"
                + " and table_name <> 'flyway_schema_history'",
            row -> row.getString(1))) {
      emptying.add(keeper.prepareStatement("delete from " + table));
    }
    emptying.add(keeper.prepareStatement("insert into tally values ('a', 0), ('b', 0)"));
    PreparedStatement large = keeper.prepareStatement("insert into large values (?)");
    large.setString(1, "x".repeat(450_000));
    emptying.add(large);
    progress =
        keeper.prepareStatement("select max(to_position)" + OUTCOMES + " where p.partition_id = ?");
  }

  private Connection real() throws SQLException {
    return DriverManager.getConnection(url, "SA", "");
  }

  /** A connection that nobody used, or that was given back: it has compiled its statements. */
  private Connection borrow() throws SQLException {
    return idle.isEmpty() ? real() : idle.removeLast();
  }

  /** Gives back the connection of a process, without its transaction but with what it prepared. */
  void giveBack(Connection connection) throws SQLException {
    connection.rollback();
    connection.setAutoCommit(true);
    idle.add(connection);
  }

  /** Begins a history: all tables are empty. */
  void begin(World history, DatabaseFaults of) throws SQLException {
    end();
    for (PreparedStatement statement : emptying) {
      statement.execute();
    }
    world = history;
    stillUntil = 0;
    performed = List.of();
    faults = of;
  }

  /** Ends a history: nobody is connected any more. */
  void end() {
    List.copyOf(open).forEach(SimulatedConnection::end);
    open.clear();
    waiting.clear();
    writer = null;
  }

  /** Makes the server answer nothing for some time. */
  void standsStillFor(long nanos) {
    stillUntil = Objects.requireNonNull(world).nanos() + nanos;
  }

  long standsStillUntil() {
    return stillUntil;
  }

  /** Ends all connections, also those with a COMMIT on its way, as a restart of the server does. */
  void restart() {
    List.copyOf(open).forEach(SimulatedConnection::end);
  }

  /** Connects a process. */
  DataSource of(SimulatedProcess process) {
    return new Source(() -> connect(process));
  }

  private Connection connect(SimulatedProcess process) throws SQLException {
    process.pause();
    process.takes(faults.roundTripNanos());
    if (faults.refusesConnection()) {
      throw new SQLException("the server does not respond", LOST);
    }
    SimulatedConnection connection = new SimulatedConnection(this, process, borrow());
    open.add(connection);
    process.onDeath(() -> process.world().after(faults.noticesDeathAfterNanos(), connection::dies));
    return connection.proxy();
  }

  DatabaseFaults faults() {
    return faults;
  }

  void closed(SimulatedConnection connection) {
    open.remove(connection);
  }

  /** Makes this connection the one that writes; its transaction waits until it is. */
  void write(SimulatedConnection connection, SimulatedProcess process) throws SQLException {
    long until = process.nanos() + LOCK_TIMEOUT_NANOS;
    while (writer != null && writer != connection) {
      if (process.nanos() >= until) {
        connection.rollBack();
        throw new SQLException("a lock was not available in time", LOCK_TIMEOUT);
      }
      waiting.add(Thread.currentThread());
      process.park(until - process.nanos());
      connection.mustBeAlive();
    }
    writer = connection;
  }

  /** The transaction of the connection has ended. */
  void release(SimulatedConnection connection) {
    if (writer == connection) {
      writer = null;
      List<Thread> woken = List.copyOf(waiting);
      waiting.clear();
      woken.forEach(LockSupport::unpark);
    }
  }

  /** What the database holds now, as its own administrator sees it. */
  <R> List<R> read(String sql, Row<R> row) {
    try (Statement statement = keeper.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      List<R> found = new ArrayList<>();
      while (rows.next()) {
        found.add(row.of(rows));
      }
      return found;
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A transaction of a process was committed. */
  void committed(SimulatedProcess process) {
    World history = process.world();
    if (history.trace.isKept()) {
      List<String> now =
          read(
              "select p.partition_id, max(to_position)"
                  + OUTCOMES
                  + " group by p.partition_id order by 1",
              row -> "position %d of partition %d".formatted(row.getLong(2) - 1, row.getInt(1)));
      now.stream()
          .filter(it -> !performed.contains(it) && !it.startsWith("position -1"))
          .forEach(
              it -> history.trace.explain(history, process.name(), "has performed up to " + it));
      performed = now;
    }
  }

  /** The position that is to be performed next. */
  long nextPosition(int partition) {
    try {
      progress.setInt(1, partition);
      try (ResultSet row = progress.executeQuery()) {
        return row.next() ? row.getLong(1) : 0;
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Whether a transaction is open that has written something. */
  boolean isBeingWritten() {
    return writer != null;
  }

  /** Executes a statement of the database's administrator, while nobody else writes. */
  void execute(String sql) {
    try (Statement statement = keeper.createStatement()) {
      statement.execute(sql);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The rows of all tables. */
  Map<String, List<List<@Nullable Object>>> copy() {
    Map<String, List<List<@Nullable Object>>> copy = new TreeMap<>();
    for (String table : tables()) {
      copy.put(
          table,
          read(
              "select * from " + table,
              row -> {
                List<@Nullable Object> values = new ArrayList<>();
                for (int i = 1; i <= row.getMetaData().getColumnCount(); i++) {
                  values.add(row.getObject(i));
                }
                return values;
              }));
    }
    return copy;
  }

  private List<String> tables() {
    return read(
        "select table_schema || '.\"' || table_name || '\"' from information_schema.tables"
            + " where table_schema in ('PUBLIC', 'FOREBAY') and table_type = 'BASE TABLE'"
            + " and table_name <> 'flyway_schema_history'",
        row -> row.getString(1));
  }

  /** The idempotency keys that the gateway knows. */
  Set<String> keys() {
    return new HashSet<>(read("select idem_key from forebay.request", row -> row.getString(1)));
  }

  /** Replaces all rows by those of a copy, and ends all connections. */
  void restore(Map<String, List<List<@Nullable Object>>> copy) {
    restart();
    mustBeAlone();
    copy.forEach((table, rows) -> {
      execute("truncate table " + table + " and commit no check");
      for (List<@Nullable Object> row : rows) {
        insert(table, row);
      }
    });
  }

  /** Fails if another session has an open transaction: this thread would wait for it for ever. */
  private void mustBeAlone() {
    List<Long> others =
        read(
            "select session_id from information_schema.system_sessions"
                + " where transaction and session_id <> session_id()",
            row -> row.getLong(1));
    if (!others.isEmpty()) {
      throw new IllegalStateException("transactions are open in sessions " + others);
    }
  }

  private void insert(String table, List<@Nullable Object> row) {
    String sql =
        "insert into %s %s values (%s)"
            .formatted(
                table,
                table.contains("EFFECTS") ? "overriding system value" : "",
                String.join(", ", Collections.nCopies(row.size(), "?")));
    try (PreparedStatement insert = keeper.prepareStatement(sql)) {
      for (int i = 0; i < row.size(); i++) {
        insert.setObject(i + 1, row.get(i));
      }
      insert.execute();
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Makes an object of a row. */
  @FunctionalInterface
  interface Row<R> {
    R of(ResultSet row) throws SQLException;
  }

  /** Opens connections. */
  @FunctionalInterface
  private interface Opening {
    Connection open() throws SQLException;
  }

  /** A data source without settings. */
  private record Source(Opening opening) implements DataSource {

    @Override
    public Connection getConnection() throws SQLException {
      return opening.open();
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
      return opening.open();
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
      return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {}

    @Override
    public void setLoginTimeout(int seconds) {}

    @Override
    public int getLoginTimeout() {
      return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
      throw new SQLFeatureNotSupportedException();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
      throw new SQLException("not a wrapper");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
      return false;
    }
  }
}
