/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.jdbc.sql.PlainInsert;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.SqlRules;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;

/**
 * Plain inserts on PostgreSQL as one statement with an array per column: {@code insert into t (a,
 * b) select * from unnest(?, ?)}. This takes less than half the work of a JDBC batch for client and
 * server. Used only if the effect equals that of the single inserts ({@link PlainTables}).
 *
 * <p>The arrays have the types with which single arguments would be bound, so the server converts
 * values to the columns in the same way. Their elements keep the class of the values: the driver
 * sends numbers and text in binary, which is cheaper for client and server.
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

  /** The fewest rows that are copied to find a failure: a COPY takes three round trips. */
  private static final int MIN_COPIED = 16;

  private final DatabaseSession session;
  private final SqlRules rules;
  private final PlainTables tables;
  private final CopyInsert copy;
  private final int copyFrom;

  /**
   * @param copyFrom the number of rows from which {@link CopyInsert} is used; 0: never
   */
  ArrayInsert(DatabaseSession session, SqlRules rules, int copyFrom) {
    this.session = session;
    this.rules = rules;
    this.tables = new PlainTables(session);
    this.copy = new CopyInsert(session);
    this.copyFrom = copyFrom;
  }

  /**
   * Inserts the rows by a COPY or as arrays, if that is possible; otherwise does nothing and
   * returns false.
   *
   * @param locating whether a failure must be found: then few rows are copied, too, because only a
   *     COPY tells where it failed
   */
  boolean insert(String sql, List<@Nullable Object[]> rows, boolean locating) throws SQLException {
    PlainInsert insert = plain(sql, rows.getFirst().length);
    Class<?>[] types = insert == null ? null : types(rows, insert.columns().size());
    if (insert == null || types == null || !bindsAs(types)) {
      return false;
    }
    PlainTables.Plain table = tables.find(insert);
    if (table == null) {
      return false;
    }
    boolean copied =
        copyFrom > 0 && ((locating && rows.size() >= MIN_COPIED) || rows.size() >= copyFrom);
    if (copied && copy.insert(insert, table, rows, types)) {
      session.checkDeferred(); // no row of a plain table repairs what another one broke
      return true;
    }
    PreparedStatement prepared =
        session.prepare(session.withCheck(statement(insert, types, table.guard())));
    for (int i = 0; i < types.length; i++) {
      Class<?> type = types[i];
      prepared.setArray(
          i + 1, session.column(rows, i, type, Objects.requireNonNull(TYPES.get(type))));
    }
    int inserted = prepared.executeUpdate();
    if (inserted == 0) {
      tables.changed(insert);
      return false;
    }
    if (inserted != rows.size()) {
      throw rules.singly(sql);
    }
    return true;
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

  private static String statement(PlainInsert insert, Class<?>[] types, String guard) {
    StringBuilder sql = new StringBuilder("insert into ");
    sql.append(insert.table())
        .append(" (")
        .append(insert.columnList())
        .append(") select * from unnest(");
    for (int i = 0; i < types.length; i++) {
      sql.append(i == 0 ? "" : ", ").append("?::").append(TYPES.get(types[i])).append("[]");
    }
    return sql.append(") where ").append(guard).toString();
  }
}
