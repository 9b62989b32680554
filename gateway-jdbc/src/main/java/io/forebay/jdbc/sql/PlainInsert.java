/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.sql;

import io.forebay.jdbc.sql.SqlScanner.Token;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Exactly an {@code insert into table (column, …) values (?, …)}, so that many of them can be
 * performed as one statement over arrays. {@code on conflict (column, …) do update set column =
 * excluded.column, …} may follow.
 *
 * @param table as written, with its schema if given
 * @param columns as written, one for each placeholder
 * @param conflict what follows the values, as written; empty if it is an insert only
 * @param key the indexes of the columns that decide whether there is a conflict
 */
public record PlainInsert(String table, List<String> columns, String conflict, List<Integer> key) {

  /** An insert with a character for each token, see {@link #character}. */
  private static final Pattern SHAPE =
      Pattern.compile(
          "io(N(?:\\.N)*+)\\((N(?:,N)*+)\\)v\\((p(?:,p)*+)\\)(OC\\((N(?:,N)*+)\\)DUSN=E\\.N(?:,N=E\\.N)*+)?"
              .replace("N", "[nCUSE]"));

  private static final Map<String, String> WORDS =
      Map.of(
          "insert",
          "i",
          "into",
          "o",
          "values",
          "v",
          "on",
          "O",
          "conflict",
          "C",
          "do",
          "D",
          "update",
          "U",
          "set",
          "S",
          "excluded",
          "E");

  static @Nullable PlainInsert of(List<Token> tokens) {
    Matcher insert =
        SHAPE.matcher(tokens.stream().map(PlainInsert::character).collect(Collectors.joining()));
    if (!insert.matches() || insert.group(2).length() != insert.group(3).length()) {
      return null;
    }
    List<String> texts = tokens.stream().map(Token::text).toList();
    List<String> columns = names(texts, insert, 2);
    List<Integer> key =
        insert.group(4) == null
            ? List.of()
            : names(texts, insert, 5).stream().map(columns::indexOf).toList();
    if (key.contains(-1) || !key.isEmpty() && !setsEachToItself(texts, insert)) {
      return null;
    }
    return new PlainInsert(
        String.join("", texts.subList(insert.start(1), insert.end(1))),
        columns,
        key.isEmpty() ? "" : " " + String.join(" ", texts.subList(insert.start(4), insert.end(4))),
        key);
  }

  /** A column that gets the value of another one could change the key. */
  private static boolean setsEachToItself(List<String> texts, Matcher insert) {
    int first = insert.end(5) + ")DUS".length();
    return IntStream.iterate(first, i -> i < insert.end(4), i -> i + "N=E.N,".length())
        .allMatch(i -> texts.get(i).equals(texts.get(i + "N=E.".length())));
  }

  /** The names that a group of the pattern matches, without the commas. */
  private static List<String> names(List<String> texts, Matcher insert, int group) {
    return IntStream.iterate(insert.start(group), i -> i < insert.end(group), i -> i + 2)
        .mapToObj(texts::get)
        .toList();
  }

  private static String character(Token token) {
    return switch (token.kind()) {
      case WORD -> WORDS.getOrDefault(token.text().toLowerCase(Locale.ROOT), "n");
      case QUOTED -> "n";
      case PLACEHOLDER -> "p";
      case SYMBOL -> token.text().substring(0, 1);
      case ESCAPED, LITERAL, NUMBER, UNCLOSED -> "x";
    };
  }

  /** The columns, separated by commas. */
  public String columnList() {
    return String.join(", ", columns);
  }
}
