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
import java.util.Locale;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What the gateway must know about a statement before it performs it in a transaction with others.
 * Created once per text; immutable.
 *
 * <p>It protects a batch from statements that would break it. It is not a security boundary: an
 * attacker can hide what a statement does in a function or a literal. The boundary is the gateway's
 * role in the database, and that SQL text does not come from outside.
 *
 * @param keyword the first word, in upper case; empty if the text does not begin with one
 * @param isSeveral whether anything follows a semicolon, even within parentheses
 * @param placeholders the number of arguments
 * @param refusal why it cannot be performed in one transaction with other statements and the
 *     gateway's progress, and what to do instead; null if it can. It contains only the first word
 *     of the text
 * @param plainInsert the parts of a plain insert on PostgreSQL; otherwise null
 */
public record SqlText(
    String keyword,
    boolean isSeveral,
    int placeholders,
    @Nullable String refusal,
    @Nullable PlainInsert plainInsert) {

  private static final Set<String> BATCH =
      Set.of(
          "SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "VALUES", "WITH", "TABLE", "CALL",
          "EXPLAIN");

  private static final Set<String> DEFINITION =
      Set.of("CREATE", "ALTER", "DROP", "TRUNCATE", "COMMENT", "GRANT", "REVOKE");

  /**
   * PostgreSQL performs these in a transaction. LOCK holds until the batch is committed; NOTIFY is
   * sent only at the commit.
   */
  private static final Set<String> BATCH_ON_POSTGRESQL =
      Set.of(
          "ANALYSE",
          "ANALYZE",
          "CLUSTER",
          "IMPORT",
          "LOCK",
          "NOTIFY",
          "REASSIGN",
          "REFRESH",
          "REINDEX",
          "SECURITY",
          "SHOW");

  private static final Set<String> TRANSACTION =
      Set.of("COMMIT", "END", "ROLLBACK", "ABORT", "BEGIN", "START", "SAVEPOINT", "RELEASE");

  private static final Set<String> SESSION =
      Set.of(
          "SET",
          "RESET",
          "DISCARD",
          "LISTEN",
          "UNLISTEN",
          "PREPARE",
          "EXECUTE",
          "DEALLOCATE",
          "DECLARE",
          "FETCH",
          "MOVE",
          "CLOSE",
          "LOAD",
          "CONNECT",
          "DISCONNECT");

  private static final String CHANGES_SESSION =
      " changes the session, which is shared with other statements and can end"
          + " at any time; it cannot be performed through a queue";

  private static final int KEYWORD_SHOWN = 30;

  public SqlText(String sql, Dialect dialect) {
    List<Token> tokens = new ArrayList<>(SqlScanner.scan(sql, dialect));
    while (!tokens.isEmpty() && tokens.getLast().isSymbol(';')) {
      tokens.removeLast();
    }
    String keyword = keyword(tokens);
    String refusal = refuse(tokens, keyword, dialect);
    this(
        keyword,
        hasSymbol(tokens, ';'),
        (int) tokens.stream().filter(token -> token.kind() == Kind.PLACEHOLDER).count(),
        refusal,
        dialect == Dialect.POSTGRESQL && refusal == null ? PlainInsert.of(tokens) : null);
  }

  private static boolean hasSymbol(List<Token> tokens, char symbol) {
    return tokens.stream().anyMatch(token -> token.isSymbol(symbol));
  }

  private static String keyword(List<Token> tokens) {
    for (Token token : tokens) {
      if (token.kind() == Kind.WORD) {
        return token.text().toUpperCase(Locale.ROOT);
      }
      // (select …) union …, and {? = call …} of JDBC
      if (token.kind() != Kind.PLACEHOLDER
          && !(token.kind() == Kind.SYMBOL && "({=".contains(token.text()))) {
        break;
      }
    }
    return "";
  }

  private static boolean namesLedger(List<Token> tokens) {
    return names(tokens, "forebay", '.')
        || tokens.stream().anyMatch(token -> token.isWord("schema"))
            && tokens.stream().anyMatch(token -> token.isName("forebay"));
  }

  /** Whether a name comes directly before a symbol. */
  private static boolean names(List<Token> tokens, String name, char symbol) {
    return IntStream.range(1, tokens.size())
        .anyMatch(i -> tokens.get(i - 1).isName(name) && tokens.get(i).isSymbol(symbol));
  }

  private static @Nullable String refuse(List<Token> tokens, String keyword, Dialect dialect) {
    if (tokens.isEmpty()) {
      return "The text contains no statement";
    }
    if (tokens.getLast().kind() == Kind.UNCLOSED) {
      return "A quote or comment is not closed";
    }
    if (hasSymbol(tokens, ';')) {
      return "The text contains more than one statement; send each separately, or use"
          + " executeTogether";
    }
    if (tokens.stream().anyMatch(token -> token.kind() == Kind.ESCAPED)) {
      return "The text has a name with Unicode escapes (U&); write the name directly";
    }
    if (namesLedger(tokens)) {
      return "The text refers to schema forebay, which is reserved for the gateway";
    }
    if (dialect == Dialect.POSTGRESQL && hasSymbol(tokens, '$')) {
      return "The text has a numbered parameter, such as $2; write ?, or in the catalogue a name"
          + " such as :item";
    }
    if (dialect == Dialect.POSTGRESQL && names(tokens, "set_config", '(')) {
      return "set_config" + CHANGES_SESSION;
    }
    return refuseKeyword(keyword, dialect);
  }

  private static @Nullable String refuseKeyword(String keyword, Dialect dialect) {
    boolean postgres = dialect == Dialect.POSTGRESQL;
    if (BATCH.contains(keyword)
        || (postgres && (DEFINITION.contains(keyword) || BATCH_ON_POSTGRESQL.contains(keyword)))
        || (!postgres && keyword.equals("REPLACE"))) {
      return null;
    }
    if (TRANSACTION.contains(keyword)) {
      return keyword
          + " controls the transaction, but the gateway does that: one transaction"
          + " contains a batch of statements and the progress; use executeTogether for"
          + " statements that must commit together";
    }
    if (SESSION.contains(keyword)) {
      return keyword + CHANGES_SESSION;
    }
    if (DEFINITION.contains(keyword)) {
      return keyword
          + " commits implicitly on HSQLDB, in the middle of a batch; run it as the"
          + " owner, outside the queue";
    }
    return switch (keyword) {
      case "COPY" -> "COPY reads or writes data that is not in the arguments; use INSERT";
      case "DO" -> "The body of DO cannot be checked; create a function and call it";
      case "" -> "The text does not begin with a keyword";
      default ->
          (keyword.length() > KEYWORD_SHOWN ? keyword.substring(0, KEYWORD_SHOWN) + "…" : keyword)
              + " cannot be performed in one transaction with other statements on "
              + (postgres ? "PostgreSQL" : "HSQLDB");
    };
  }
}
