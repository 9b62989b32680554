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
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Tells when rows of the outbox were read. */
final class WatchedDataSource extends DelegatingDataSource {

  private final Runnable onRead;

  WatchedDataSource(DataSource target, Runnable onRead) {
    super(target);
    this.onRead = onRead;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = super.getConnection();
    return proxy(
        Connection.class,
        (_, method, arguments) -> {
          Object result = invoke(connection, method, arguments);
          boolean reading =
              result instanceof PreparedStatement
                  && arguments[0].toString().contains("from forebay_outbox where id >");
          return reading ? watched((PreparedStatement) result) : result;
        });
  }

  private PreparedStatement watched(PreparedStatement statement) {
    return proxy(
        PreparedStatement.class,
        (_, method, arguments) -> {
          Object result = invoke(statement, method, arguments);
          if (method.getName().equals("executeQuery")) {
            onRead.run();
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
