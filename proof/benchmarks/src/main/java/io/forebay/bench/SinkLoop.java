/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * A hand-written loop in its own process, from a topic to the table: at least once, without
 * results, on one thread. It ends with its parent.
 */
final class SinkLoop {

  static final String COMMAND = "sink-loop";

  /** How a batch is written. */
  enum Way {
    /** A JDBC batch. */
    BATCH("") {
      @Override
      void write(Connection connection, List<Row> rows, String conflict) throws SQLException {
        try (PreparedStatement insert = connection.prepareStatement(SinkTable.INSERT + conflict)) {
          for (Row row : rows) {
            insert.setLong(1, row.id());
            insert.setString(2, row.customer());
            insert.setDouble(3, row.amount());
            insert.setLong(4, row.sent());
            insert.addBatch();
          }
          insert.executeBatch();
        }
      }
    },

    /** A JDBC batch that the driver makes statements with many rows of. */
    VALUES("?reWriteBatchedInserts=true") {
      @Override
      void write(Connection connection, List<Row> rows, String conflict) throws SQLException {
        BATCH.write(connection, rows, conflict);
      }
    },

    /** One statement with an array for each column. */
    UNNEST("") {
      @Override
      void write(Connection connection, List<Row> rows, String conflict) throws SQLException {
        try (PreparedStatement insert =
            connection.prepareStatement(
                "insert into orders select * from unnest(?, ?, ?, ?)" + conflict)) {
          PGConnection driver = connection.unwrap(PGConnection.class);
          insert.setArray(
              1, driver.createArrayOf("int8", rows.stream().mapToLong(Row::id).toArray()));
          insert.setArray(
              2, driver.createArrayOf("varchar", rows.stream().map(Row::customer).toArray()));
          insert.setArray(
              3, driver.createArrayOf("float8", rows.stream().mapToDouble(Row::amount).toArray()));
          insert.setArray(
              4, driver.createArrayOf("int8", rows.stream().mapToLong(Row::sent).toArray()));
          insert.executeUpdate();
        }
      }
    },

    /** COPY, as text; rows that are upserted go through a temporary table. */
    COPY("") {
      @Override
      void write(Connection connection, List<Row> rows, String conflict) throws SQLException {
        StringBuilder text = new StringBuilder();
        for (Row row : rows) {
          text.append(row.id()).append('\t').append(row.customer()).append('\t');
          text.append(row.amount()).append('\t').append(row.sent()).append('\n');
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
        try (Statement staging = connection.createStatement()) {
          String table = conflict.isEmpty() ? "orders" : "staged";
          if (!conflict.isEmpty()) {
            staging.execute(
                "create temp table if not exists staged (like orders) on commit delete rows");
          }
          CopyIn copy =
              connection
                  .unwrap(PGConnection.class)
                  .getCopyAPI()
                  .copyIn("copy " + table + " from stdin");
          copy.writeToCopy(bytes, 0, bytes.length);
          copy.endCopy();
          if (!conflict.isEmpty()) {
            staging.execute("insert into orders select * from staged" + conflict);
          }
        }
      }
    };

    private final String parameters;

    Way(String parameters) {
      this.parameters = parameters;
    }

    abstract void write(Connection connection, List<Row> rows, String conflict) throws SQLException;
  }

  /** A row, as a record of fixed layout with the customer at its end. */
  record Row(long id, String customer, double amount, long sent) {

    byte[] bytes() {
      byte[] text = customer.getBytes(StandardCharsets.ISO_8859_1);
      return ByteBuffer.allocate(3 * Long.BYTES + text.length)
          .putLong(id)
          .putDouble(amount)
          .putLong(sent)
          .put(text)
          .array();
    }

    static Row of(ConsumerRecord<byte[], byte[]> message) {
      ByteBuffer bytes = ByteBuffer.wrap(message.value());
      long id = bytes.getLong();
      double amount = bytes.getDouble();
      long sent = bytes.getLong();
      String customer =
          new String(
              message.value(), bytes.position(), bytes.remaining(), StandardCharsets.ISO_8859_1);
      return new Row(id, customer, amount, sent);
    }
  }

  private SinkLoop() {}

  static void main(List<String> arguments) throws Exception {
    Options options =
        new Options(
            arguments,
            "--bootstrap HOSTS --topic NAME --postgres URL --way NAME --batch N --upsert");
    Testbed.endWithParent();
    Way way = Way.valueOf(options.required("way"));
    Map<String, Object> settings =
        Map.of(
            "bootstrap.servers",
            options.required("bootstrap"),
            "group.id",
            COMMAND,
            "auto.offset.reset",
            "earliest",
            "enable.auto.commit",
            false,
            "max.poll.records",
            options.required("batch"));
    try (KafkaConsumer<byte[], byte[]> consumer =
            new KafkaConsumer<>(
                settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        Connection connection =
            Postgres.dataSource(options.required("postgres") + way.parameters, Postgres.OWNER)
                .getConnection()) {
      connection.setAutoCommit(false);
      consumer.assign(List.of(new TopicPartition(options.required("topic"), 0)));
      while (true) {
        List<Row> rows =
            consumer
                .poll(Duration.ofSeconds(1))
                .records(consumer.assignment().iterator().next())
                .stream()
                .map(Row::of)
                .toList();
        if (!rows.isEmpty()) {
          way.write(connection, rows, options.has("upsert") ? SinkTable.ON_CONFLICT : "");
          connection.commit();
          consumer.commitSync();
        }
      }
    }
  }
}
