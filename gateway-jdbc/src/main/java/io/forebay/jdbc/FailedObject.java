/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * What an error of a database is about. Contains no values, unlike the message of the error.
 *
 * @param constraint null if the error names none
 * @param table null if the error names none
 * @param column null if the error names none
 */
public record FailedObject(
    @Nullable String constraint, @Nullable String table, @Nullable String column) {

  /** HSQLDB has no fields; values come behind these names, and only if they have no space. */
  private static final Pattern HSQLDB =
      Pattern.compile(" ; (?:(\\S+) )?table: (\\S+)(?: column: (\\S+))?");

  private static final int MAX_NAME = 200;

  private static final boolean POSTGRESQL = isPresent("org.postgresql.util.PSQLException");

  /** Null if the error names nothing. */
  public static @Nullable FailedObject of(SQLException e) {
    if (POSTGRESQL && e instanceof PSQLException error) {
      ServerErrorMessage fields = error.getServerErrorMessage();
      return fields == null
          ? null
          : named(fields.getConstraint(), fields.getTable(), fields.getColumn());
    }
    if (e.getClass().getName().startsWith("org.hsqldb.") || e.getErrorCode() < 0) {
      Matcher names = HSQLDB.matcher(String.valueOf(e.getMessage()));
      return names.find() ? named(names.group(1), names.group(2), names.group(3)) : null;
    }
    return null;
  }

  private static @Nullable FailedObject named(
      @Nullable String constraint, @Nullable String table, @Nullable String column) {
    return constraint == null && table == null && column == null
        ? null
        : new FailedObject(name(constraint), name(table), name(column));
  }

  /** A function of the database can raise an error with any text as a name. */
  private static @Nullable String name(@Nullable String name) {
    if (name == null) {
      return null;
    }
    String cut = name.length() <= MAX_NAME ? name : name.substring(0, MAX_NAME);
    return new String(cut.getBytes(UTF_8), UTF_8);
  }

  /** For example {@code constraint orders_pkey, table orders}. */
  public String words() {
    List<String> parts = new ArrayList<>();
    add(parts, "constraint", constraint);
    add(parts, "table", table);
    add(parts, "column", column);
    return String.join(", ", parts);
  }

  private static void add(List<String> parts, String word, @Nullable String name) {
    if (name != null) {
      parts.add(word + " " + name);
    }
  }

  private static boolean isPresent(String name) {
    try {
      Class.forName(name, false, FailedObject.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException _) {
      return false;
    }
  }
}
