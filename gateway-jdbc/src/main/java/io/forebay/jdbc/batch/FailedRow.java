/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import java.math.BigDecimal;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Guesses which row of a statement PostgreSQL refused: the detail of its error quotes values, such
 * as {@code Key (id)=(17) already exists}, in any language. A wrong guess costs round trips only.
 */
final class FailedRow {

  private static final Pattern QUOTED = Pattern.compile("\\(([^()]*)\\)");

  private FailedRow() {}

  /** The index of the first row that has most of the values; -1 if no row has one. */
  static int index(SQLException e, List<@Nullable Object[]> rows) {
    Set<@Nullable Object> values = values(e);
    int index = -1;
    long most = 0;
    for (int i = 0; i < rows.size() && !values.isEmpty(); i++) {
      long shared = Arrays.stream(rows.get(i)).filter(values::contains).count();
      if (shared > most) {
        index = i;
        most = shared;
      }
    }
    return index;
  }

  private static Set<@Nullable Object> values(SQLException e) {
    ServerErrorMessage message = e instanceof PSQLException p ? p.getServerErrorMessage() : null;
    String detail = message == null ? null : message.getDetail();
    Set<@Nullable Object> values = new HashSet<>();
    if (detail != null) {
      QUOTED
          .matcher(detail)
          .results()
          .forEach(quoted -> {
            for (String value : quoted.group(1).split(", ")) {
              values.add(value.equals("null") ? null : value);
              addNumber(values, value);
            }
          });
    }
    return values;
  }

  private static void addNumber(Set<@Nullable Object> values, String text) {
    try {
      BigDecimal number = new BigDecimal(text);
      values.addAll(List.of(number, number.doubleValue(), number.longValue()));
    } catch (NumberFormatException _) {
      // it is a text
    }
  }
}
