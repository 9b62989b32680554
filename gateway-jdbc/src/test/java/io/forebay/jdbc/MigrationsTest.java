/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import org.junit.jupiter.api.Test;

class MigrationsTest {

  @Test
  void smoke() throws Exception {
    try (TestPostgres postgres = TestPostgres.shared()) {
      for (int i = 0; i < 2; i++) {
        Migrations.run(postgres.owner(), postgres.gatewayRole());
      }
      try (Connection c = postgres.gateway().getConnection();
          ResultSet r =
              c.createStatement()
                  .executeQuery(
                      "select current_setting('fsync'), current_setting('synchronous_commit'), count(*) from forebay.progress")) {
        r.next();
        assertThat(r.getString(1) + r.getString(2)).isEqualTo("onon");
      }
    }
    try (TestPostgres postgres = TestPostgres.start()) {
      for (int i = 0; i < 2; i++) {
        long t = System.nanoTime();
        postgres.kill();
        long k = System.nanoTime();
        postgres.restart();
        System.out.println("kill " + (k - t) / 1e6 + " restart " + (System.nanoTime() - k) / 1e6);
        TestPostgres.execute(
            postgres.owner(), "create table if not exists t (a int)", "insert into t values (1)");
      }
    }
  }
}
