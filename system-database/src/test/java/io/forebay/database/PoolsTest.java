/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

class PoolsTest {

  /** HSQLDB's driver checks a connection with a query timeout, which is in whole seconds. */
  @ParameterizedTest
  @ValueSource(longs = {2, 3, 5})
  void aPoolOfAnyWaitGivesAConnectionWithoutAWarning(long seconds) throws Exception {
    List<String> lines = new ArrayList<>();
    try (CapturedLog _ = CapturedLog.of("com.zaxxer.hikari.pool", lines);
        HikariDataSource pool =
            Pools.open(
                "tested",
                new DriverManagerDataSource("jdbc:hsqldb:mem:pools", "SA", ""),
                1,
                Duration.ofSeconds(seconds));
        Connection connection = pool.getConnection()) {
      assertThat(connection.isValid(1)).isTrue();
    }
    assertThat(lines).isNotEmpty().noneMatch(it -> it.contains("validationTimeout"));
  }
}
