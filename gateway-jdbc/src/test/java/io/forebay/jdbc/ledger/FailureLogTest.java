/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.database.EmbeddedDatabase;
import io.forebay.database.Migrations;
import io.forebay.database.TestPostgres;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.Request;
import io.forebay.jdbc.statement.StatementTexts;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FailureLogTest {

  @Test
  void keepsWhatCannotBeDecodedOnPostgresqlWithOrWithoutAMessageId() throws SQLException {
    try (TestPostgres postgres = TestPostgres.shared()) {
      keepsBoth(postgres.owner(), postgres.gateway());
    }
  }

  @Test
  void keepsWhatCannotBeDecodedOnHsqldbWithOrWithoutAMessageId(@TempDir Path directory)
      throws SQLException {
    try (EmbeddedDatabase hsqldb = EmbeddedDatabase.open(directory)) {
      keepsBoth(hsqldb.owner(), hsqldb.gateway());
    }
  }

  private static void keepsBoth(DataSource owner, DataSource gateway) throws SQLException {
    try (MemoryBackend backend = MemoryBackend.open();
        MessageQueue in = backend.open("orders.in", 1, Duration.ofDays(1));
        FailureLog failures =
            new FailureLog("orders", new StatementTexts("orders", true, null), in, 0);
        Connection connection = gateway.getConnection()) {
      Migrations.run(owner, connection.getMetaData().getUserName());
      try (DatabaseSession session =
          new DatabaseSession(connection, GatewaySettings.DEFAULT_STATEMENT_TIMEOUT)) {
        failures.keep(session, twoLetters(in), Instant.now());
        connection.commit();
        try (Statement statement = connection.createStatement();
            ResultSet rows =
                statement.executeQuery(
                    "select count(*), count(message_id), min(octet_length(payload)),"
                        + " max(char_length(detail)), count(sql_state) from forebay.failed_message"
                        + " where created_at > current_timestamp - interval '1' hour")) {
          rows.next();
          assertThat(rows.getInt(1)).isEqualTo(2);
          assertThat(rows.getInt(2)).isEqualTo(1);
          assertThat(rows.getInt(3)).isEqualTo(3);
          assertThat(rows.getInt(4)).isEqualTo(1000);
          assertThat(rows.getInt(5)).isZero();
        }
      }
    }
  }

  private static Batch twoLetters(MessageQueue in) {
    try (Appender appender = in.appender();
        Writer<JDBCStatement> writer = Protocol.of(JDBCStatement.class).writer(in, 0)) {
      appender.append(0, ByteBuffer.wrap(new byte[3]));
      writer.calls().executeUpdate("delete from item");
    }
    @Nullable Message[] withId = {null};
    try (Tailer tailer = in.tailer(0)) {
      tailer.seek(1);
      tailer.poll(
          1, (position, message) -> withId[0] = Message.peek(in.name(), 0, position, message));
    }
    Batch batch = new Batch();
    batch.add(letter(0, null));
    batch.add(letter(1, withId[0]));
    return batch;
  }

  private static PendingStatement letter(long position, @Nullable Message message) {
    Request request = new Request.Undecodable(position, "MALFORMED", "d".repeat(2000));
    return new PendingStatement(request, message, null, false);
  }
}
