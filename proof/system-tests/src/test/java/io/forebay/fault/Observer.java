/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.call.AnswerRun;
import io.forebay.call.CallReader;
import io.forebay.call.Message;
import io.forebay.call.Protocol;
import io.forebay.call.value.Aliases;
import io.forebay.fault.History.Accepted;
import io.forebay.fault.History.Answer;
import io.forebay.fault.History.Contents;
import io.forebay.fault.History.Tally;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads the result of a run: both queues from the beginning, and the tables. */
final class Observer {

  private static final int LONG_TEXT = 40;

  private Observer() {}

  /** The messages of the in-queue, partition by partition. */
  static List<Accepted> accepted(Source source) {
    List<Accepted> accepted = new ArrayList<>();
    read(
        source,
        ".in",
        Protocol.of(JDBCStatement.class, Aliases.none().with("row", Row.class)),
        new JDBCStatement() {
          @Override
          public void executeQuery(String query, Class<?> resultType, Object... args) {
            add(args[0]);
          }

          @Override
          public void executeUpdate(String query, Object... args) {
            add(args[0]);
          }

          @Override
          public void executeTogether(List<Call> calls) {
            add(calls.getFirst().args().getFirst());
          }

          private void add(Object number) {
            Message message = Message.current();
            accepted.add(new Accepted(place(message), message.id(), (Long) number));
          }
        });
    return accepted;
  }

  /** The messages of the out-queue, partition by partition. */
  static List<Answer> answers(Source source) {
    List<Answer> answers = new ArrayList<>();
    read(
        source,
        ".out",
        Protocol.of(JDBCResult.class),
        new JDBCResult() {
          @Override
          public void queryResult(Rows rows) {
            add("rows " + rows.values().stream().map(Observer::text).toList());
          }

          @Override
          public void queryThrown(SqlFailure failure) {
            add("failed " + failure.kind());
          }

          @Override
          public void updateResult(long count) {
            add("count " + count);
          }

          @Override
          public void updateThrown(SqlFailure failure) {
            add("failed " + failure.kind());
          }

          /**
           * Adds an outcome. The answers to statements that took effect together are one message.
           */
          private void add(String outcome) {
            Message message = Message.current();
            Place place = place(message);
            long source = message.source().orElse(-1);
            String all = outcome;
            if (!answers.isEmpty()
                && answers.getLast().place().equals(place)
                && answers.getLast().source() == source) {
              all = answers.removeLast().outcome() + ", " + outcome;
            }
            answers.add(new Answer(place, source, message.id(), all));
          }
        });
    return answers;
  }

  private static Place place(Message message) {
    return new Place(message.partition(), message.position());
  }

  private static List<Object> text(List<Object> row) {
    return row.stream()
        .map(value ->
            value instanceof String text && text.length() > LONG_TEXT
                ? text.length() + " characters"
                : value)
        .toList();
  }

  private static <T> void read(Source source, String suffix, Protocol<T> protocol, T target) {
    String name = ServiceArguments.SERVICE + suffix;
    CallReader<T> reader = protocol.reader(name, target);
    for (int partition = 0; partition < ServiceArguments.PARTITIONS; partition++) {
      source.read(name, partition, AnswerRun.singly(name, partition, reader.handler(partition)));
    }
  }

  static Contents contents(Target target) throws SQLException {
    try (Connection connection = target.owner().getConnection();
        Statement statement = connection.createStatement()) {
      Tables tables = new Tables(statement);
      return new Contents(
          tables.counts("select number, count(*) from effects group by number"),
          tables.map(
              "select name, n, last from tally",
              row -> row.getString(1),
              row -> new Tally(row.getLong(2), row.getLong(3))),
          tables.map(
              "select name, numbers from list",
              row -> row.getString(1),
              row -> numbers(row.getString(2))),
          tables.counts("select number, count(*) from orders group by number"),
          tables.lines(),
          tables.list("select number from checked", row -> row.getLong(1)),
          tables.map(
              "select p.partition_id, max(o.to_position) from forebay.progress p"
                  + " join forebay.outcome o on o.service = p.service"
                  + " and o.partition_id = p.partition_id and o.queue_id = p.queue_id"
                  + " group by p.partition_id",
              row -> row.getInt(1),
              row -> row.getLong(2)),
          tables.list(
              "select partition_id, position from forebay.failed_message"
                  + " where sql_state is not null",
              row -> new Place(row.getInt(1), row.getLong(2))),
          tables
              .list(
                  "select count(*) from forebay.failed_message where sql_state is null",
                  row -> row.getLong(1))
              .getFirst());
    }
  }

  private static List<Long> numbers(String text) {
    return Arrays.stream(text.split(","))
        .filter(number -> !number.isEmpty())
        .map(Long::valueOf)
        .toList();
  }

  /** Runs queries whose rows become collections. */
  private record Tables(Statement statement) {

    Map<Long, Integer> counts(String sql) throws SQLException {
      return map(sql, row -> row.getLong(1), row -> row.getInt(2));
    }

    Map<Long, List<Integer>> lines() throws SQLException {
      return list(
              "select number, line from order_lines order by number, line",
              row -> Map.entry(row.getLong(1), row.getInt(2)))
          .stream()
          .collect(
              Collectors.groupingBy(
                  Map.Entry::getKey, Collectors.mapping(Map.Entry::getValue, Collectors.toList())));
    }

    <K, V> Map<K, V> map(String sql, Column<K> key, Column<V> value) throws SQLException {
      Map<K, V> map = new HashMap<>();
      list(sql, row -> Map.entry(key.of(row), value.of(row)))
          .forEach(entry -> map.put(entry.getKey(), entry.getValue()));
      return map;
    }

    <V> List<V> list(String sql, Column<V> column) throws SQLException {
      List<V> list = new ArrayList<>();
      try (ResultSet row = statement.executeQuery(sql)) {
        while (row.next()) {
          list.add(column.of(row));
        }
      }
      return list;
    }
  }

  /** Converts a row to a value. */
  private interface Column<V> {
    V of(ResultSet row) throws SQLException;
  }
}
