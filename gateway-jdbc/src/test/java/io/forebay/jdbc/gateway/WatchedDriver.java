/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** A data source of which is seen what it and its connections are about to do. */
final class WatchedDriver {

  private final Observer observer;

  static final String CONNECT = "connect";
  static final String COMMIT = "commit";
  static final String ROLLBACK = "rollback";

  /** A commit that took effect. */
  static final String COMMITTED = "committed";

  /** Sees one of these, or the SQL text of a statement; what it throws, the driver throws. */
  @FunctionalInterface
  interface Observer {
    void before(String what) throws SQLException;
  }

  private WatchedDriver(Observer observer) {
    this.observer = observer;
  }

  static DataSource over(DataSource target, Observer observer) {
    return new WatchedDriver(observer).proxy(DataSource.class, target, "");
  }

  private <T> T proxy(Class<T> type, T target, String sql) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, arguments) -> {
              if (method.getName().startsWith("execute") && target instanceof PreparedStatement) {
                observer.before(sql);
              } else if (method.getName().equals("execute") && target instanceof Statement) {
                observer.before((String) arguments[0]);
              }
              if (target instanceof DataSource && method.getName().equals("getConnection")) {
                observer.before(CONNECT);
              }
              if (method.getName().equals(COMMIT) || method.getName().equals(ROLLBACK)) {
                observer.before(method.getName());
              }
              try {
                Object returned = method.invoke(target, arguments);
                if (method.getName().equals(COMMIT)) {
                  observer.before(COMMITTED);
                }
                return switch (returned) {
                  case Connection connection when target instanceof DataSource ->
                      proxy(Connection.class, connection, "");
                  case PreparedStatement prepared when target instanceof Connection ->
                      proxy(PreparedStatement.class, prepared, (String) arguments[0]);
                  case Statement statement when target instanceof Connection ->
                      proxy(Statement.class, statement, "");
                  case null -> null;
                  case Object result -> result;
                };
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }
}
