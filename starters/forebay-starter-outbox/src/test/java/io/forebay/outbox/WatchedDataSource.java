/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Tells which prepared statements were executed. */
final class WatchedDataSource extends DelegatingDataSource {

  private final Consumer<String> executed;

  WatchedDataSource(DataSource target, Consumer<String> executed) {
    super(target);
    this.executed = executed;
  }

  /** Tells when rows of the outbox were read. */
  static WatchedDataSource onRead(DataSource target, Runnable read) {
    return new WatchedDataSource(
        target,
        sql -> {
          if (sql.contains("from forebay_outbox where id >")) {
            read.run();
          }
        });
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = super.getConnection();
    return proxy(
        Connection.class,
        (_, method, arguments) -> {
          Object result = invoke(connection, method, arguments);
          return result instanceof PreparedStatement statement
              ? watched(statement, arguments[0].toString())
              : result;
        });
  }

  private PreparedStatement watched(PreparedStatement statement, String sql) {
    return proxy(
        PreparedStatement.class,
        (_, method, arguments) -> {
          Object result = invoke(statement, method, arguments);
          if (method.getName().startsWith("execute")) {
            executed.accept(sql);
          }
          return result;
        });
  }

  private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
