/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.jdbc.sql.PlainInsert;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.SqlRules;
import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;

/**
 * Plain inserts on PostgreSQL as one statement with an array per column: {@code insert into t (a,
 * b) select * from unnest(?, ?)}. For client and server this is a fraction of the work of a JDBC
 * batch. Used only if the effect equals that of the single inserts ({@link PlainTables}).
 *
 * <p>The arrays have the types with which single arguments would be bound, so the server converts
 * values to the columns in the same way. Their elements keep the class of the values: the driver
 * sends numbers and text in binary, which is cheaper for client and server.
 *
 * <p>An {@code on conflict … do update} refuses a key that is there twice. So the second row of a
 * key is in a second statement, and so on; rows of other keys may pass it, as nothing but the key
 * relates rows of such a table.
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

  /** With fewer rows per statement on average, a JDBC batch is cheaper. */
  private static final int MIN_ROWS = 50;

  /**
   * The SQLState of a row that is updated twice, as with keys that are equal for the server only.
   */
  private static final String TWICE = "21000";

  private final DatabaseSession session;
  private final SqlRules rules;
  private final PlainTables tables;

  ArrayInsert(DatabaseSession session, SqlRules rules) {
    this.session = session;
    this.rules = rules;
    this.tables = new PlainTables(session);
  }

  /** Inserts the rows as arrays, if that is possible; otherwise does nothing and returns false. */
  boolean insert(String sql, List<@Nullable Object[]> rows, Opening opening) throws SQLException {
    PlainInsert insert = plain(sql, rows.getFirst().length);
    Class<?>[] types = insert == null ? null : types(rows, insert.columns().size());
    if (insert == null || types == null || !bindsAs(types)) {
      return false;
    }
    List<List<@Nullable Object[]>> parts =
        insert.key().isEmpty() ? List.of(rows) : parts(insert, rows);
    String guard = tables.find(insert);
    if (guard == null || parts.size() > 1 && rows.size() < parts.size() * MIN_ROWS) {
      return false;
    }
    String statement = session.withCheck(statement(insert, types, guard));
    try {
      for (List<@Nullable Object[]> part : parts) {
        int inserted = insert(statement, part, types, opening);
        if (inserted == 0 && part == parts.getFirst()) {
          tables.changed(insert);
          return false;
        }
        if (inserted != part.size()) {
          throw rules.notAsArrays(sql);
        }
      }
    } catch (SQLException e) {
      if (TWICE.equals(e.getSQLState())) {
        throw rules.notAsArrays(sql);
      }
      throw e;
    }
    return true;
  }

  private int insert(
      String statement, List<@Nullable Object[]> rows, Class<?>[] types, Opening opening)
      throws SQLException {
    Object[] columns = new Object[types.length];
    for (int i = 0; i < types.length; i++) {
      Class<?> type = types[i];
      columns[i] = session.column(rows, i, type, Objects.requireNonNull(TYPES.get(type)));
    }
    return opening.update(statement, columns);
  }

  private @Nullable PlainInsert plain(String sql, int arguments) {
    PlainInsert insert = rules.arrayInsert(sql);
    return insert == null || insert.columns().size() != arguments ? null : insert;
  }

  /** Whether an update inserts into a plain table, as the catalogue is now. */
  boolean isPlain(String sql, int arguments) throws SQLException {
    PlainInsert insert = plain(sql, arguments);
    if (insert == null) {
      return false;
    }
    tables.changed(insert);
    return tables.find(insert) != null;
  }

  /** The class of the values of each column, or null if a column has none or several. */
  private static Class<?> @Nullable [] types(List<@Nullable Object[]> rows, int columns) {
    Class<?>[] types = new Class<?>[columns];
    for (int column = 0; column < columns; column++) {
      Class<?> type = null;
      for (@Nullable Object[] row : rows) {
        Object value = row[column];
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

  /** Whether the driver binds a single text with the type that the array has. */
  private boolean bindsAs(Class<?>[] types) throws SQLException {
    return !Arrays.asList(types).contains(String.class)
        || session.connection().unwrap(BaseConnection.class).getStringVarcharFlag();
  }

  /** Parts in which each key is once. */
  private static List<List<@Nullable Object[]>> parts(
      PlainInsert insert, List<@Nullable Object[]> rows) {
    Map<List<@Nullable Object>, Integer> times = new HashMap<>();
    List<List<@Nullable Object[]>> parts = new ArrayList<>();
    for (@Nullable Object[] row : rows) {
      List<@Nullable Object> key = new ArrayList<>();
      insert.key().forEach(column -> key.add(row[column]));
      int part = times.merge(key, 1, Integer::sum);
      if (part > parts.size()) {
        parts.add(new ArrayList<>());
      }
      parts.get(part - 1).add(row);
    }
    return parts;
  }

  private static String statement(PlainInsert insert, Class<?>[] types, String guard) {
    StringBuilder sql = new StringBuilder("insert into ");
    sql.append(insert.table())
        .append(" (")
        .append(insert.columnList())
        .append(") select * from unnest(");
    for (int i = 0; i < types.length; i++) {
      sql.append(i == 0 ? "" : ", ").append("?::").append(TYPES.get(types[i])).append("[]");
    }
    return sql.append(") where ").append(guard).append(insert.conflict()).toString();
  }
}
