/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.call.Writer;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.Row;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/** The tables of the load and its statements. The first argument of a statement is its number. */
final class Workload {

  static final String CLIENT = "load";

  /** The tally that every partition changes. */
  static final String SHARED_TALLY = "shared";

  static final List<String> TABLES =
      List.of("effects", "tally", "list", "orders", "order_lines", "checked");

  static final List<String> DDL =
      List.of(
          "create table if not exists effects (number bigint not null)",
          "create index if not exists effects_number on effects (number)",
          "create table if not exists tally (name varchar(40) primary key, n bigint not null, last bigint not null)",
          "create table if not exists list (name varchar(40) primary key, numbers varchar(1000000) not null)",
          "create table if not exists orders (number bigint not null)",
          "create table if not exists order_lines (number bigint not null, line int not null)",
          "create table if not exists checked (number bigint not null, amount int check (amount >= 0))");

  private static final String EFFECT = "insert into effects (number) values (?)";
  private static final String RETURNING = EFFECT + " returning number";
  private static final String TALLY = "update tally set last = ?, n = n + 1 where name = ?";
  private static final String APPEND =
      "update list set numbers = numbers || cast(? as varchar(20)) || ',' where name = ?";
  private static final String ORDER = "insert into orders (number) values (?)";
  private static final String LINE = "insert into order_lines (number, line) values (?, ?)";
  private static final String CHECKED = "insert into checked (number, amount) values (?, ?)";
  private static final String QUERY =
      "select count(*) as n from effects where cast(? as bigint) > 0 and number = ?";
  private static final String LARGE_QUERY =
      "select repeat('x', 20000) as x from tally where cast(? as bigint) > 0 and name = ?";

  private Workload() {}

  static void send(Writer<JDBCStatement> writer, Invocation statement) {
    long number = statement.number();
    if (statement.kind().keyed()) {
      writer.keyed(CLIENT, Long.toString(number));
    }
    JDBCStatement calls = writer.calls();
    switch (statement.kind()) {
      case EFFECT, KEYED -> calls.executeUpdate(EFFECT, number);
      case TALLY -> calls.executeUpdate(TALLY, number, statement.target());
      case APPEND -> calls.executeUpdate(APPEND, number, statement.target());
      case FAILING, KEYED_FAILING -> calls.executeUpdate(CHECKED, number, -1);
      case TOGETHER ->
          calls.executeTogether(
              List.of(Call.of(ORDER, number), Call.of(LINE, number, 1), Call.of(LINE, number, 2)));
      case TOGETHER_FAILING ->
          calls.executeTogether(List.of(Call.of(ORDER, number), Call.of(CHECKED, number, -1)));
      case QUERY ->
          calls.executeQuery(QUERY, Row.class, number, Long.parseLong(statement.target()));
      case LARGE_QUERY -> calls.executeQuery(LARGE_QUERY, Row.class, number, statement.target());
      case RETURNING -> calls.executeQuery(RETURNING, Row.class, number);
    }
  }

  /** Creates the row of a tally or a list if it is missing. */
  static void createTally(Connection connection, String name) throws SQLException {
    create(connection, "tally", "(name, n, last) values (?, 0, 0)", name);
  }

  static void createList(Connection connection, String name) throws SQLException {
    create(connection, "list", "(name, numbers) values (?, '')", name);
  }

  private static void create(Connection connection, String table, String values, String name)
      throws SQLException {
    try (var find = connection.prepareStatement("select 1 from " + table + " where name = ?");
        var insert = connection.prepareStatement("insert into " + table + " " + values)) {
      find.setString(1, name);
      if (!find.executeQuery().next()) {
        insert.setString(1, name);
        insert.executeUpdate();
      }
    }
  }
}
