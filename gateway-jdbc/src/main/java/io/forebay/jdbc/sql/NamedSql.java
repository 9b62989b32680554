/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.sql;

import io.forebay.database.Dialect;
import io.forebay.jdbc.sql.SqlScanner.Kind;
import io.forebay.jdbc.sql.SqlScanner.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * SQL text with named parameters ({@code :item}), parsed before the database is known. A colon in
 * quotes, in a comment or in a cast ({@code ::date}) starts no parameter. Immutable.
 *
 * @param text the statement with a question mark for each parameter
 * @param names the parameter of each question mark, in order; a name may come several times
 * @param kind judged by the keywords; null if these do not decide it, as with {@code WITH} and
 *     {@code CALL}
 * @param refusal why no gateway can perform it, and what to do instead; null if one can. It
 *     contains at most one word of the text
 */
public record NamedSql(
    String text, List<String> names, @Nullable StatementKind kind, @Nullable String refusal) {

  private static final Set<String> READS = Set.of("SELECT", "VALUES", "TABLE", "SHOW", "EXPLAIN");
  private static final Set<String> CHANGES =
      Set.of("INSERT", "UPDATE", "DELETE", "MERGE", "REPLACE");

  /** The text as one database reads it. */
  private record Reading(String text, List<String> names, SqlText rules, List<Token> tokens) {

    static Reading of(String sql, Dialect dialect) {
      List<Token> tokens = SqlScanner.scan(sql, dialect);
      List<String> names = new ArrayList<>();
      StringBuilder text = new StringBuilder();
      int copied = 0;
      for (int i = 0; i < tokens.size(); i++) {
        if (isParameter(tokens, i)) {
          Token colon = tokens.get(i);
          String name = tokens.get(i + 1).text();
          text.append(sql, copied, colon.start());
          if (mayJoin(text)) {
            text.append(' ');
          }
          text.append('?');
          copied = colon.start() + 1 + name.length();
          names.add(name);
        }
      }
      text.append(sql, copied, sql.length());
      return new Reading(text.toString(), names, new SqlText(text.toString(), dialect), tokens);
    }

    private static boolean isParameter(List<Token> tokens, int index) {
      return isColon(tokens, index)
          && !(isColon(tokens, index - 1) && follows(tokens, index - 1))
          && index + 1 < tokens.size()
          && tokens.get(index + 1).kind() == Kind.WORD
          && follows(tokens, index);
    }

    private static boolean isColon(List<Token> tokens, int index) {
      return index >= 0 && tokens.get(index).isSymbol(':');
    }

    /** Whether the next token follows without white space. */
    private static boolean follows(List<Token> tokens, int index) {
      return tokens.get(index + 1).start() == tokens.get(index).start() + 1;
    }

    /** Whether a question mark appended here would become part of another token. */
    private static boolean mayJoin(StringBuilder text) {
      if (text.isEmpty()) {
        return false;
      }
      char last = text.charAt(text.length() - 1);
      return last == '?' || Character.isUnicodeIdentifierPart(last);
    }

    boolean isClosed() {
      return tokens.isEmpty() || tokens.getLast().kind() != Kind.UNCLOSED;
    }

    boolean hasPlaceholders() {
      return tokens.stream().anyMatch(token -> token.kind() == Kind.PLACEHOLDER);
    }

    @Nullable StatementKind kind() {
      String keyword = rules.keyword();
      if (READS.contains(keyword)) {
        return StatementKind.QUERY;
      }
      if (!CHANGES.contains(keyword)) {
        return null;
      }
      return tokens.stream().anyMatch(token -> token.isWord("returning"))
          ? StatementKind.QUERY
          : StatementKind.UPDATE;
    }
  }

  public static NamedSql of(String sql) {
    Reading postgres = Reading.of(sql, Dialect.POSTGRESQL);
    Reading hsqldb = Reading.of(sql, Dialect.HSQLDB);
    Reading reading = postgres.isClosed() ? postgres : hsqldb;
    return new NamedSql(
        reading.text(),
        List.copyOf(reading.names()),
        reading.kind(),
        refusal(postgres, hsqldb, reading));
  }

  private static @Nullable String refusal(Reading postgres, Reading hsqldb, Reading reading) {
    if (reading.hasPlaceholders()) {
      return "The text has question marks as parameters; use names, such as :item (an operator of"
          + " PostgreSQL has each of its question marks twice, such as ??)";
    }
    if (postgres.isClosed() && hsqldb.isClosed() && !postgres.names().equals(hsqldb.names())) {
      return "PostgreSQL and HSQLDB find different parameters in the text; avoid dollar"
          + " quotes, escapes in strings and nested comments";
    }
    if (reading.rules().placeholders() != reading.names().size()) {
      return "A parameter is where none is allowed";
    }
    String first = postgres.rules().refusal();
    String second = hsqldb.rules().refusal();
    return first != null && second != null ? (reading == postgres ? first : second) : null;
  }
}
