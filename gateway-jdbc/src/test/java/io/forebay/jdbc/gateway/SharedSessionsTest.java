/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.database.PgBouncer;
import io.forebay.database.TestPostgres;
import io.forebay.database.UnsafeDatabase;
import io.forebay.jdbc.ledger.GatewayDatabase;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.queue.Level;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** A real PgBouncer between gateway and PostgreSQL. */
class SharedSessionsTest {

  @TempDir Path directory;

  @BeforeAll
  static void assumePgBouncer() {
    PgBouncer.assumeThere();
  }

  private static void prepare(TestPostgres postgres, DataSource gateway) {
    new GatewayDatabase(gateway, postgres.owner(), () -> Level.DISK).prepare();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void aPoolerInTransactionModeIsRefusedWithWhatToDo(int size) throws Exception {
    try (TestPostgres postgres = TestPostgres.shared();
        PgBouncer pooler = PgBouncer.start(directory, postgres, "transaction", size)) {
      assertThatThrownBy(() -> prepare(postgres, pooler.dataSource()))
          .isInstanceOf(UnsafeDatabase.class)
          .hasMessageContaining("pool_mode = session")
          .hasMessageContaining("directly");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 5})
  void oneInSessionModeIsNot(int size) throws Exception {
    try (TestPostgres postgres = TestPostgres.shared();
        PgBouncer pooler = PgBouncer.start(directory, postgres, "session", size)) {
      assertThatCode(() -> prepare(postgres, pooler.dataSource())).doesNotThrowAnyException();
    }
  }

  @Test
  void theProcessOfASessionIsThatOfTheServerAlsoBehindAPooler() throws Exception {
    try (TestPostgres postgres = TestPostgres.shared();
        PgBouncer pooler = PgBouncer.start(directory, postgres, "session", 1);
        DatabaseSession session =
            DatabaseSession.open(pooler.dataSource(), GatewaySettings.DEFAULT_STATEMENT_TIMEOUT);
        ResultSet row = session.query("select pg_backend_pid()")) {
      row.next();
      assertThat(session.process()).isEqualTo(row.getInt(1));
    }
  }

  @Test
  void aPoolOfOneConnectionInFrontOfTheServerIsNot() throws SQLException {
    try (TestPostgres postgres = TestPostgres.shared();
        Connection only = postgres.gateway().getConnection()) {
      SingleConnectionDataSource pool = new SingleConnectionDataSource(only, true);
      assertThatCode(() -> prepare(postgres, pool)).doesNotThrowAnyException();
    }
  }
}
