/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.demo;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/**
 * A database in which each row of a JDBC batch takes some time, as on a busy server. The delay
 * comes before the batch, so that its rows are not locked meanwhile.
 */
final class SlowDatabase extends DelegatingDataSource {

  private final Supplier<Duration> perRow;

  SlowDatabase(DataSource database, Supplier<Duration> perRow) {
    super(database);
    this.perRow = perRow;
  }

  @Override
  public Connection getConnection() throws SQLException {
    Connection connection = super.getConnection();
    return proxy(
        Connection.class,
        (_, method, arguments) -> {
          Object result = call(connection, method, arguments);
          return result instanceof PreparedStatement statement ? slow(statement) : result;
        });
  }

  private PreparedStatement slow(PreparedStatement statement) {
    int[] rows = {0};
    return proxy(
        PreparedStatement.class,
        (_, method, arguments) -> {
          switch (method.getName()) {
            case "addBatch" -> rows[0]++;
            case "executeBatch" -> {
              LockSupport.parkNanos(perRow.get().multipliedBy(rows[0]).toNanos());
              rows[0] = 0;
            }
            default -> {}
          }
          return call(statement, method, arguments);
        });
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }

  private static @Nullable Object call(
      Object target, Method method, @Nullable Object @Nullable [] arguments) throws Throwable {
    try {
      return method.invoke(target, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
