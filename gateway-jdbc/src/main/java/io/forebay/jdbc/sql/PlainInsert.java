/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.sql;

import io.forebay.jdbc.sql.SqlScanner.Token;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Exactly an {@code insert into table (column, …) values (?, …)}, so that many of them can be
 * performed as one statement over arrays.
 *
 * @param table as written, with its schema if given
 * @param columns as written, one for each placeholder
 */
public record PlainInsert(String table, List<String> columns) {

  /** An insert with a character for each token, see {@link #character}. */
  private static final Pattern SHAPE =
      Pattern.compile("io(n(?:\\.n)*+)\\((n(?:,n)*+)\\)v\\((p(?:,p)*+)\\)");

  static @Nullable PlainInsert of(List<Token> tokens) {
    Matcher insert =
        SHAPE.matcher(tokens.stream().map(PlainInsert::character).collect(Collectors.joining()));
    if (!insert.matches() || insert.group(2).length() != insert.group(3).length()) {
      return null;
    }
    List<String> texts = tokens.stream().map(Token::text).toList();
    return new PlainInsert(
        String.join("", texts.subList(insert.start(1), insert.end(1))),
        IntStream.iterate(insert.start(2), i -> i < insert.end(2), i -> i + 2)
            .mapToObj(texts::get)
            .toList());
  }

  private static String character(Token token) {
    return switch (token.kind()) {
      case WORD, QUOTED ->
          token.isWord("insert")
              ? "i"
              : token.isWord("into") ? "o" : token.isWord("values") ? "v" : "n";
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
