/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.sql;

import io.forebay.jdbc.sql.SqlScanner.Kind;
import io.forebay.jdbc.sql.SqlScanner.Token;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Exactly an {@code insert into table (column, …) values (?, …)}, so that many of them can be
 * performed as one statement over arrays.
 *
 * @param table as written, with its schema if given
 * @param columns as written, one for each placeholder
 */
public record PlainInsert(String table, List<String> columns) {

  static @Nullable PlainInsert of(List<Token> tokens) {
    Shape shape = new Shape(tokens);
    if (!shape.word("insert") || !shape.word("into")) {
      return null;
    }
    String table = shape.table();
    if (table == null) {
      return null;
    }
    List<String> columns = shape.columns();
    if (columns == null || !shape.word("values") || !shape.placeholders(columns.size())) {
      return null;
    }
    return shape.ends() ? new PlainInsert(table, columns) : null;
  }

  /** The columns, separated by commas. */
  public String columnList() {
    return String.join(", ", columns);
  }

  /** Consumes tokens while each is the expected one. */
  private static final class Shape {

    private final List<Token> tokens;
    private int next;

    Shape(List<Token> tokens) {
      this.tokens = tokens;
    }

    boolean word(String word) {
      return taken(next < tokens.size() && tokens.get(next).isWord(word));
    }

    boolean symbol(char symbol) {
      return taken(next < tokens.size() && tokens.get(next).isSymbol(symbol));
    }

    @Nullable String table() {
      StringBuilder table = new StringBuilder();
      do {
        String name = name();
        if (name == null) {
          return null;
        }
        table.append(table.isEmpty() ? "" : ".").append(name);
      } while (symbol('.'));
      return table.toString();
    }

    @Nullable String name() {
      boolean name =
          next < tokens.size()
              && (tokens.get(next).kind() == Kind.WORD || tokens.get(next).kind() == Kind.QUOTED);
      return taken(name) ? tokens.get(next - 1).text() : null;
    }

    @Nullable List<String> columns() {
      List<String> columns = new ArrayList<>();
      boolean more = symbol('(');
      while (more) {
        String column = name();
        if (column == null) {
          return null;
        }
        columns.add(column);
        more = symbol(',');
      }
      return !columns.isEmpty() && symbol(')') ? List.copyOf(columns) : null;
    }

    boolean placeholders(int count) {
      boolean expected = symbol('(');
      for (int i = 0; expected && i < count; i++) {
        expected =
            (i == 0 || symbol(','))
                && taken(next < tokens.size() && tokens.get(next).kind() == Kind.PLACEHOLDER);
      }
      return expected && symbol(')');
    }

    boolean ends() {
      return next == tokens.size();
    }

    private boolean taken(boolean matches) {
      if (matches) {
        next++;
      }
      return matches;
    }
  }
}
