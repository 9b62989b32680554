/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import org.jspecify.annotations.Nullable;

/** What the usual SQLStates of PostgreSQL and HSQLDB mean, in words without values. */
final class SqlStates {

  private SqlStates() {}

  /**
   * For example {@code check constraint quantity_positive of orders violated}.
   *
   * @param on what the database named; null if it named nothing
   * @return null if the state has no words here
   */
  static @Nullable String words(String state, @Nullable FailedObject on) {
    return switch (state) {
      case "23502" -> "no value, although one is required" + place(on);
      case "23503", "23504" -> constraint("foreign key", on);
      case "23505" -> constraint("unique constraint", on);
      case "23513", "23514" -> constraint("check constraint", on);
      case "23P01" -> constraint("exclusion constraint", on);
      case "22001" -> "text too long" + place(on);
      case "22003" -> "number out of range" + place(on);
      case "22007", "22008" -> "invalid date or time" + place(on);
      case "22012" -> "division by zero";
      case "22P02", "22018" -> "value does not fit the type" + place(on);
      case "40001" -> "conflict with another transaction";
      case "40P01" -> "deadlock with another transaction";
      case "42501" -> "no right, or no such object" + place(on);
      case "42601" -> "syntax error";
      case "42703" -> "no such column";
      case "42883" -> "no such function";
      case "42P18" -> "unknown type of a parameter, write cast(:name as ...)";
      case "42P01" -> "no such table";
      case "55P03" -> "lock not available";
      case "57014" -> "statement timed out or was cancelled";
      default -> null;
    };
  }

  private static String constraint(String kind, @Nullable FailedObject on) {
    String name = on == null || on.constraint() == null ? "" : " " + on.constraint();
    String table = on == null || on.table() == null ? "" : " of " + on.table();
    return kind + name + table + " violated";
  }

  /** For example {@code , column quantity of orders}. */
  private static String place(@Nullable FailedObject on) {
    if (on == null || (on.table() == null && on.column() == null)) {
      return "";
    }
    return on.column() == null
        ? ", table " + on.table()
        : ", column " + on.column() + (on.table() == null ? "" : " of " + on.table());
  }
}
