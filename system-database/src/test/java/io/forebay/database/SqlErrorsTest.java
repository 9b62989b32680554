/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

class SqlErrorsTest {

  @ParameterizedTest
  @CsvSource({
    "23505, STATEMENT",
    "22012, STATEMENT",
    "42601, STATEMENT",
    "0A000, STATEMENT",
    "57014, STATEMENT",
    "54000, STATEMENT",
    "40001, TRANSIENT",
    "40P01, TRANSIENT",
    "55P03, TRANSIENT",
    "53100, TRANSIENT",
    "25006, TRANSIENT",
    "S1000, TRANSIENT",
    "08006, CONNECTION",
    "57P01, CONNECTION",
    "25P03, CONNECTION",
    "58030, CONNECTION",
    "XX000, STATEMENT",
    "XX001, CONNECTION",
    "40502, STATEMENT"
  })
  void classifiesErrors(String sqlState, SqlErrors expected) {
    assertThat(SqlErrors.of(new SQLException("", sqlState))).isEqualTo(expected);
  }

  /** PgBouncer ends sessions with FATAL and this SQLState. */
  @Test
  void aViolationOfTheProtocolIsTheStatementsIfTheServerContinues() {
    assertThat(SqlErrors.of(new PSQLException(new ServerErrorMessage("SERROR\0C08P01\0Mfew\0"))))
        .isEqualTo(SqlErrors.STATEMENT);
    assertThat(SqlErrors.of(new PSQLException(new ServerErrorMessage("SFATAL\0C08P01\0Mgone\0"))))
        .isEqualTo(SqlErrors.CONNECTION);
    assertThat(SqlErrors.of(new SQLException("unknown message type", "08P01")))
        .isEqualTo(SqlErrors.CONNECTION);
  }

  @Test
  void anErrorWithoutASqlStateCountsAsAConnectionError() {
    assertThat(SqlErrors.of(new SQLException("gone"))).isEqualTo(SqlErrors.CONNECTION);
    assertThat(SqlErrors.of(new SQLNonTransientConnectionException("gone", "42000")))
        .isEqualTo(SqlErrors.CONNECTION);
  }
}
