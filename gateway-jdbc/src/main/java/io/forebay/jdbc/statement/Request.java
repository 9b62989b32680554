/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import io.forebay.jdbc.SqlFailure;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** What a call asks of the database. */
public sealed interface Request {

  /**
   * One statement.
   *
   * @param type of the rows of a query; null for an update
   */
  record Single(String sql, @Nullable Object[] args, @Nullable Class<?> type) implements Request {

    @Override
    public boolean isQuery() {
      return type != null;
    }

    /** Whether one JDBC batch can perform both. */
    private boolean isLike(Single other) {
      return !isQuery()
          && !other.isQuery()
          && args.length == other.args.length
          && sql.equals(other.sql);
    }
  }

  /** Updates that all take effect or none. */
  record Together(List<Single> updates) implements Request {}

  /**
   * It is refused before its text is checked.
   *
   * @param sql the reference to the catalogue that was refused; empty if something else was
   */
  record Refused(boolean isQuery, SqlFailure why, String sql) implements Request {}

  /** The message at a position could not be decoded. */
  record Undecodable(long position, String reason, String detail) implements Request {}

  /** Whether it is answered as a query. */
  default boolean isQuery() {
    return false;
  }

  /** The SQL text or refused reference, of the first update if there are several; or empty. */
  default String sql() {
    return this instanceof Together(List<Single> updates) && !updates.isEmpty()
        ? updates.getFirst().sql()
        : "";
  }

  /**
   * The end of the requests from {@code start} on that one JDBC batch can perform.
   *
   * @param size how many there are
   */
  static int endOfRun(IntFunction<Request> requests, int start, int size) {
    int end = start + 1;
    if (requests.apply(start) instanceof Single first) {
      while (end < size && requests.apply(end) instanceof Single next && next.isLike(first)) {
        end++;
      }
    }
    return end;
  }
}
