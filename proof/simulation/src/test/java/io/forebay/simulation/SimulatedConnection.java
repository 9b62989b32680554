/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.simulation.DatabaseFaults.Of;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A connection of a process to the database, which may be lost at any request. */
final class SimulatedConnection {

  /** Is in the text of a statement that always is the victim of a deadlock. */
  static final String DEADLOCKED = "/* deadlocked */";

  /** Is in the text of a statement that ends the process that performs it. */
  static final String DEADLY = "/* deadly */";

  private static final String ROLLED_BACK = "40001";
  private static final String TIMED_OUT = "40502";

  private final SimulatedDatabase database;
  private final SimulatedProcess process;
  private final Connection real;
  private boolean lost;
  private boolean ended;
  private long timeoutNanos;

  SimulatedConnection(SimulatedDatabase database, SimulatedProcess process, Connection real) {
    this.database = database;
    this.process = process;
    this.real = real;
  }

  Connection proxy() {
    return (Connection)
        Proxy.newProxyInstance(
            Connection.class.getClassLoader(), new Class<?>[] {Connection.class}, this::connection);
  }

  /** The server ends the connection and rolls its transaction back. */
  void dies() {
    if (!lost) {
      lost = true;
      end();
    }
  }

  /** The server rolls back what is open, and forgets the connection. */
  void end() {
    if (ended) {
      return;
    }
    lost = true;
    ended = true;
    try {
      database.giveBack(real);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    database.closed(this);
    database.release(this);
  }

  void mustBeAlive() throws SQLException {
    if (lost) {
      throw lost("the connection is lost");
    }
  }

  private static SQLException lost(String why) {
    return new SQLException(why, SimulatedDatabase.LOST);
  }

  void rollBack() throws SQLException {
    real.rollback();
    database.release(this);
  }

  private @Nullable Object connection(Object proxy, Method method, Object @Nullable [] arguments)
      throws Throwable {
    switch (method.getName()) {
      case "commit" -> {
        commit();
        return null;
      }
      case "rollback" -> {
        mustBeAlive();
        if (arguments != null) {
          return call(real, method, arguments);
        }
        process.pause();
        mustBeAlive();
        rollBack();
        return null;
      }
      case "close", "abort" -> {
        dies();
        return null;
      }
      case "isClosed" -> {
        return lost;
      }
      case "setAutoCommit" -> {
        mustBeAlive();
        call(real, method, arguments);
        database.release(this);
        return null;
      }
      case "prepareStatement", "createStatement", "prepareCall" -> {
        mustBeAlive();
        return statement(
            (Statement) call(real, method, arguments),
            arguments == null ? "" : (String) arguments[0],
            method.getReturnType());
      }
      default -> {
        if (method.getDeclaringClass() != Object.class) {
          mustBeAlive();
        }
        return call(real, method, arguments);
      }
    }
  }

  private void commit() throws SQLException {
    process.pause();
    mustBeAlive();
    Of fault = database.faults().commit();
    process.takes(database.faults().roundTripNanos());
    mustBeAlive();
    if (fault != Of.GOES_WELL) {
      process.world().trace.add(process.world(), process.name(), "its COMMIT %s", fault);
    }
    switch (fault) {
      case GOES_WELL -> {
        real.commit();
        database.committed(process);
        database.release(this);
        process.pause();
      }
      case LOST_BEFORE -> {
        dies();
        throw lost("the connection was lost before the COMMIT");
      }
      case LOST_AFTER -> {
        real.commit();
        database.committed(process);
        dies();
        throw lost("the connection was lost during the COMMIT");
      }
      case LATE -> {
        lost = true;
        process
            .world()
            .after(
                database.faults().noticesDeathAfterNanos(),
                () -> {
                  if (!ended) {
                    commitLate();
                    end();
                  }
                });
        throw lost("the connection was lost, and the COMMIT is on its way");
      }
      case ROLLED_BACK -> {
        rollBack();
        throw new SQLException("the transaction was rolled back", ROLLED_BACK);
      }
    }
  }

  /** Waits while the server stands still, but no longer than a statement may take. */
  private void standStill() throws SQLException {
    long left = database.standsStillUntil() - process.nanos();
    if (left > 0) {
      boolean tooLong = timeoutNanos > 0 && left > timeoutNanos;
      process.takes(tooLong ? timeoutNanos : left);
      if (tooLong) {
        mustBeAlive();
        rollBack();
        throw new SQLException("the statement took too long", TIMED_OUT);
      }
    }
  }

  private void commitLate() {
    try {
      real.commit();
      database.committed(process);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  private Object statement(Statement statement, String sql, Class<?> type) {
    InvocationHandler handler =
        (proxy, method, arguments) -> {
          String name = method.getName();
          if (name.startsWith("execute")) {
            String text = arguments != null && arguments[0] instanceof String own ? own : sql;
            return execute(statement, method, arguments, text);
          }
          if (name.equals("setQueryTimeout")) {
            timeoutNanos = (int) arguments[0] * 1_000_000_000L;
            return null; // HSQLDB counts a time-out in real time, on a thread of its own
          }
          if (name.equals("close") && lost) {
            return null;
          }
          if (name.equals("getConnection")) {
            return proxy();
          }
          return call(statement, method, arguments);
        };
    return Proxy.newProxyInstance(
        Connection.class.getClassLoader(),
        new Class<?>[] {
          type == CallableStatement.class
              ? CallableStatement.class
              : type == PreparedStatement.class ? PreparedStatement.class : Statement.class
        },
        handler);
  }

  private @Nullable Object execute(
      Statement statement, Method method, Object @Nullable [] arguments, String sql)
      throws Throwable {
    process.pause();
    mustBeAlive();
    process.takes(database.faults().roundTripNanos());
    standStill();
    mustBeAlive();
    boolean writes = writes(sql);
    if (sql.contains(DEADLY)) {
      process.die();
    }
    if (writes) {
      database.write(this, process);
      mustBeAlive();
    }
    Of fault = sql.contains(DEADLOCKED) ? Of.ROLLED_BACK : database.faults().statement();
    if (fault != Of.GOES_WELL) {
      process.world().trace.add(process.world(), process.name(), "\"%s\" %s", sql, fault);
    }
    switch (fault) {
      case LOST_BEFORE -> {
        dies();
        throw lost("the connection was lost before a statement");
      }
      case ROLLED_BACK -> {
        rollBack();
        throw new SQLException("the transaction was rolled back", ROLLED_BACK);
      }
      default -> {}
    }
    Object result;
    process.world().mustNotWait(sql);
    try {
      result = call(statement, method, arguments);
    } finally {
      process.world().mustNotWait("");
      if (writes && real.getAutoCommit()) {
        database.release(this);
      }
    }
    if (fault == Of.LOST_AFTER || fault == Of.LATE) {
      dies();
      throw lost("the connection was lost during a statement");
    }
    process.pause();
    mustBeAlive();
    return result;
  }

  private static boolean writes(String sql) {
    String begin = sql.stripLeading();
    return Stream.of("select", "set", "values")
        .noneMatch(it -> begin.regionMatches(true, 0, it, 0, it.length()));
  }

  private static @Nullable Object call(Object target, Method method, Object @Nullable [] arguments)
      throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
