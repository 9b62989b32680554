/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import org.junit.jupiter.api.Test;

class DialectTest {

  @Test
  void refusesAnUnsupportedDatabase() {
    DatabaseMetaData metaData =
        proxy(
            DatabaseMetaData.class,
            (self, method, arguments) ->
                method.getName().equals("getDatabaseProductName") ? "Paradox" : "7.0");
    Connection connection = proxy(Connection.class, (self, method, arguments) -> metaData);
    assertThatThrownBy(() -> Dialect.of(connection))
        .isInstanceOf(UnsafeDatabase.class)
        .hasMessageContaining("Database not supported: Paradox 7.0")
        .hasMessageContaining("use PostgreSQL or HSQLDB");
  }

  private static <T> T proxy(Class<T> type, InvocationHandler handler) {
    return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
  }
}
