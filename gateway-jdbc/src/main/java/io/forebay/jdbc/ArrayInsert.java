/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Plain inserts on PostgreSQL as one statement with an array per column: {@code insert into t (a,
 * b) select * from unnest(?, ?)}. Less than half the work of a JDBC batch for both sides.
 *
 * <p>The arrays have the types that the arguments would have been bound with, so the server
 * converts them to the columns as it would have done one by one. They are arrays of the values' own
 * class: those of numbers and text the driver sends in binary, which is cheaper for both sides.
 */
final class ArrayInsert {

  private static final Map<Class<?>, String> TYPES =
      Map.of(
          Long.class, "int8",
          Double.class, "float8",
          Float.class, "float4",
          String.class, "varchar",
          Boolean.class, "bool",
          BigDecimal.class, "numeric",
          UUID.class, "uuid");

  private final DatabaseSession session;
  private final SqlRules rules;

  ArrayInsert(DatabaseSession session, SqlRules rules) {
    this.session = session;
    this.rules = rules;
  }

  /** Inserts the rows if they can be inserted so; otherwise does nothing and returns false. */
  boolean insert(List<PendingStatement> run) throws SQLException {
    PendingStatement first = run.getFirst();
    PlainInsert insert = rules.arrayInsert(first.sql);
    if (insert == null || first.args.length != insert.columns().size()) {
      return false;
    }
    Class<?>[] types = types(run, insert.columns().size());
    if (types == null) {
      return false;
    }
    PreparedStatement prepared = session.prepare(statement(insert, types));
    for (int column = 0; column < types.length; column++) {
      @Nullable Object[] values = (@Nullable Object[]) Array.newInstance(types[column], run.size());
      for (int row = 0; row < values.length; row++) {
        values[row] = run.get(row).args[column];
      }
      prepared.setArray(
          column + 1, session.connection().createArrayOf(TYPES.get(types[column]), values));
    }
    int inserted = prepared.executeUpdate();
    if (inserted != run.size()) {
      // a rule or trigger left rows out, and only one by one can it be told which
      throw rules.singly(first.sql);
    }
    run.forEach(statement -> statement.outcome = Outcome.Count.of(1));
    return true;
  }

  /** The class of the values of each column, or null if a column has none or several. */
  private static Class<?> @Nullable [] types(List<PendingStatement> run, int columns) {
    Class<?>[] types = new Class<?>[columns];
    for (int column = 0; column < columns; column++) {
      Class<?> type = null;
      for (PendingStatement statement : run) {
        Object value = statement.args[column];
        if (value == null) {
          continue;
        }
        if (type == null) {
          type = value.getClass();
        } else if (type != value.getClass()) {
          return null;
        }
      }
      if (type == null || !TYPES.containsKey(type)) {
        return null;
      }
      types[column] = type;
    }
    return types;
  }

  private static String statement(PlainInsert insert, Class<?>[] types) {
    StringBuilder sql = new StringBuilder("insert into ");
    sql.append(insert.table())
        .append(" (")
        .append(insert.columnList())
        .append(") select * from unnest(");
    for (int i = 0; i < types.length; i++) {
      sql.append(i == 0 ? "" : ", ").append("?::").append(TYPES.get(types[i])).append("[]");
    }
    return sql.append(')').toString();
  }
}
