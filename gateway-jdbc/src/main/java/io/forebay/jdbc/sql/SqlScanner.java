/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.sql;

import io.forebay.database.Dialect;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits SQL text into tokens as the scanner of the database does, so that both agree on literals
 * and comments. Drops white space and comments.
 *
 * <p>PostgreSQL: section 4.1 of its manual, with {@code standard_conforming_strings} on; comments
 * nest, strings are {@code '…'}, {@code E'…'} and {@code $tag$…$tag$}, and {@code E'…'} continues
 * after a line break. HSQLDB: comments do not nest, and a line comment ends at the first carriage
 * return if the rest of the text has one, else at the first line feed.
 */
final class SqlScanner {

  enum Kind {
    /** A keyword or an identifier without quotes. */
    WORD,
    /** An identifier in double quotes. */
    QUOTED,
    /** An identifier with Unicode escapes: {@code U&"…"}. */
    ESCAPED,
    LITERAL,
    NUMBER,
    /** A question mark that takes an argument. */
    PLACEHOLDER,
    /** Any other character. */
    SYMBOL,
    /** A quote or a comment without an end; the last token. */
    UNCLOSED
  }

  /**
   * @param text as written, with quotes
   * @param start its start index in the scanned text
   */
  record Token(Kind kind, String text, int start) {

    boolean isWord(String word) {
      return kind == Kind.WORD && text.equalsIgnoreCase(word);
    }

    boolean isSymbol(char symbol) {
      return kind == Kind.SYMBOL && text.charAt(0) == symbol && text.length() == 1;
    }

    /** Whether it is an identifier of this name, quoted or not, ignoring case. */
    boolean isName(String name) {
      return isWord(name) || (kind == Kind.QUOTED && text.equalsIgnoreCase('"' + name + '"'));
    }
  }

  private final String sql;
  private final boolean postgres;
  private final List<Token> tokens = new ArrayList<>();
  private int position;

  private SqlScanner(String sql, Dialect dialect) {
    this.sql = sql;
    this.postgres = dialect == Dialect.POSTGRESQL;
  }

  static List<Token> scan(String sql, Dialect dialect) {
    SqlScanner scanner = new SqlScanner(sql, dialect);
    while (scanner.position < sql.length()) {
      scanner.next();
    }
    return scanner.tokens;
  }

  private void next() {
    int start = position;
    char c = sql.charAt(start);
    if (isSpace(c)) {
      position++;
    } else if (sql.startsWith("--", start)) {
      position = endOfLineComment(start + 2);
    } else if (sql.startsWith("/*", start)) {
      blockComment(start);
    } else if (c == '\'') {
      add(Kind.LITERAL, start, endOfQuote('\'', start));
    } else if (c == '"') {
      add(Kind.QUOTED, start, endOfQuote('"', start));
    } else if (postgres && c == '$') {
      dollar(start);
    } else if (isWordStart(c)) {
      word(start);
    } else if (c >= '0' && c <= '9') {
      int end = start + 1;
      while (end < sql.length() && sql.charAt(end) != '$' && isWordPart(sql.charAt(end))) {
        end++;
      }
      add(Kind.NUMBER, start, end);
    } else if (c == '?') {
      // A double question mark is an operator in PostgreSQL and opens a bracket in HSQLDB.
      boolean doubled = sql.startsWith("??", start);
      add(doubled ? Kind.SYMBOL : Kind.PLACEHOLDER, start, start + (doubled ? 2 : 1));
    } else {
      add(Kind.SYMBOL, start, start + 1);
    }
  }

  private void word(int start) {
    int end = start + 1;
    while (end < sql.length() && isWordPart(sql.charAt(end))) {
      end++;
    }
    boolean escapes =
        postgres
            && end == start + 1
            && (sql.charAt(start) == 'E' || sql.charAt(start) == 'e')
            && sql.startsWith("'", end);
    if (escapes) {
      add(Kind.LITERAL, start, endOfEscapes(end));
    } else if (sql.regionMatches(true, start, "U&\"", 0, 3)) {
      add(Kind.ESCAPED, start, endOfQuote('"', start + 2));
    } else {
      add(Kind.WORD, start, end);
    }
  }

  private void dollar(int start) {
    int end = start + 1;
    if (end < sql.length() && isWordStart(sql.charAt(end))) {
      while (end < sql.length() && sql.charAt(end) != '$' && isWordPart(sql.charAt(end))) {
        end++;
      }
    }
    if (!sql.startsWith("$", end)) {
      add(Kind.SYMBOL, start, start + 1);
      return;
    }
    String tag = sql.substring(start, end + 1);
    int close = sql.indexOf(tag, end + 1);
    add(Kind.LITERAL, start, close < 0 ? -1 : close + tag.length());
  }

  private void add(Kind kind, int start, int end) {
    tokens.add(
        end < 0
            ? new Token(Kind.UNCLOSED, "", start)
            : new Token(kind, sql.substring(start, end), start));
    position = end < 0 ? sql.length() : end;
  }

  private void blockComment(int start) {
    int end = endOfBlockComment(start);
    if (end < 0) {
      add(Kind.UNCLOSED, start, end);
    } else {
      position = end;
    }
  }

  private int endOfLineComment(int from) {
    int feed = endIndex(sql.indexOf('\n', from));
    int carriage = endIndex(sql.indexOf('\r', from));
    if (postgres) {
      return Math.min(feed, carriage);
    }
    return carriage < sql.length() ? carriage : feed;
  }

  private int endIndex(int found) {
    return found < 0 ? sql.length() : found;
  }

  private int endOfBlockComment(int start) {
    int depth = 1;
    int at = start + 2;
    while (at < sql.length()) {
      if (sql.startsWith("*/", at)) {
        at += 2;
        if (--depth == 0) {
          return at;
        }
      } else if (postgres && sql.startsWith("/*", at)) {
        at += 2;
        depth++;
      } else {
        at++;
      }
    }
    return -1;
  }

  private int endOfQuote(char quote, int start) {
    int at = start + 1;
    while (true) {
      int found = sql.indexOf(quote, at);
      if (found < 0) {
        return -1;
      }
      if (found + 1 == sql.length() || sql.charAt(found + 1) != quote) {
        return found + 1;
      }
      at = found + 2;
    }
  }

  private int endOfEscapes(int quote) {
    int at = quote + 1;
    while (at < sql.length()) {
      char c = sql.charAt(at);
      if (c == '\\') {
        at += 2;
      } else if (c != '\'') {
        at++;
      } else if (sql.startsWith("''", at)) {
        at += 2;
      } else {
        int continued = continuation(at + 1);
        if (continued < 0) {
          return at + 1;
        }
        at = continued + 1;
      }
    }
    return -1;
  }

  /** The index of the quote that continues a string after white space with a line break, or -1. */
  private int continuation(int from) {
    boolean lineBreak = false;
    int at = from;
    while (at < sql.length()) {
      char c = sql.charAt(at);
      if (isSpace(c)) {
        lineBreak |= c == '\n' || c == '\r';
        at++;
      } else if (sql.startsWith("--", at)) {
        at = endOfLineComment(at + 2);
      } else {
        return lineBreak && c == '\'' ? at : -1;
      }
    }
    return -1;
  }

  private boolean isSpace(char c) {
    if (postgres) {
      return c == ' ' || (c >= '\t' && c <= '\r');
    }
    return (c >= '\t' && c <= '\r') || c == '\u0085' || c == '\u180e' || Character.isSpaceChar(c);
  }

  private boolean isWordStart(char c) {
    if (postgres) {
      return c >= 0x80 || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    }
    return Character.isLetter(c) || c == '_' || c == '$';
  }

  private boolean isWordPart(char c) {
    return isWordStart(c)
        || c == '$'
        || (postgres ? c >= '0' && c <= '9' : Character.isLetterOrDigit(c));
  }
}
