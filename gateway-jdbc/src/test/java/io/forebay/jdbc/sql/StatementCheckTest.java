/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.sql;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.util.List;
import org.junit.jupiter.api.Test;

class StatementCheckTest {

  @Test
  void whateverADriverThrowsIsTheFailureOfOneStatement() throws Exception {
    try (Connection real = DriverManager.getConnection("jdbc:hsqldb:mem:check", "SA", "")) {
      Connection faulty =
          (Connection)
              Proxy.newProxyInstance(
                  Connection.class.getClassLoader(),
                  new Class<?>[] {Connection.class},
                  (_, method, arguments) -> {
                    if (method.getName().equals("prepareStatement")
                        && arguments[0].equals("values (2)")) {
                      throw new ArrayIndexOutOfBoundsException("secret");
                    }
                    try {
                      return method.invoke(real, arguments);
                    } catch (InvocationTargetException e) {
                      throw e.getCause();
                    }
                  });
      assertThat(
              StatementCheck.check(
                  faulty, List.of("values (1)", "values (2)", "values (x)", "values (3)")))
          .containsOnlyKeys("values (2)", "values (x)")
          .extractingByKey("values (2)")
          .asString()
          .contains("ArrayIndexOutOfBounds")
          .doesNotContain("secret");
    }
  }
}
