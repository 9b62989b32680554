/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.EmbeddedDatabase;
import io.forebay.database.Migrations;
import io.forebay.database.TestPostgres;
import io.forebay.jdbc.Limits;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeadLetterTest {

  @Test
  void isKeptOnPostgresqlWithOrWithoutAMessageId() throws SQLException {
    try (TestPostgres postgres = TestPostgres.shared()) {
      keepsBoth(postgres.owner(), postgres.gateway());
    }
  }

  @Test
  void isKeptOnHsqldbWithOrWithoutAMessageId(@TempDir Path directory) throws SQLException {
    try (EmbeddedDatabase hsqldb = EmbeddedDatabase.open(directory)) {
      keepsBoth(hsqldb.owner(), hsqldb.gateway());
    }
  }

  private static void keepsBoth(DataSource owner, DataSource gateway) throws SQLException {
    try (Connection connection = gateway.getConnection()) {
      Migrations.run(owner, connection.getMetaData().getUserName());
      try (DatabaseSession session = new DatabaseSession(connection, Limits.defaults())) {
        letter(1, null).keep(session, Instant.now());
        letter(2, new UUID(1, 2)).keep(session, Instant.now());
        connection.commit();
        try (Statement statement = connection.createStatement();
            ResultSet rows =
                statement.executeQuery(
                    "select count(*), count(message_id), max(octet_length(payload)),"
                        + " max(char_length(detail)) from forebay.dead_letter"
                        + " where created_at > current_timestamp - interval '1' hour")) {
          rows.next();
          assertThat(rows.getInt(1)).isEqualTo(2);
          assertThat(rows.getInt(2)).isEqualTo(1);
          assertThat(rows.getInt(3)).isEqualTo(3);
          assertThat(rows.getInt(4)).isEqualTo(1000);
        }
      }
    }
  }

  private static DeadLetter letter(long position, @Nullable UUID messageId) {
    return new DeadLetter(
        "q",
        0,
        position,
        "orders",
        messageId,
        "UNDECODABLE",
        "d".repeat(2000),
        new byte[3],
        new UUID(3, position));
  }
}
