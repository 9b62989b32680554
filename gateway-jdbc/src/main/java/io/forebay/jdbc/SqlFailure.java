/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;

/**
 * Why a statement was not performed: nothing of it took effect.
 *
 * @param sqlState the five characters of the SQL standard
 * @param vendorCode the database's own number, 0 where it has none
 * @param kind what a program can decide on
 * @param message the database's words, shortened; may contain values, so it never leaves over HTTP
 */
public record SqlFailure(String sqlState, int vendorCode, Kind kind, String message) {

  private static final int MAX_MESSAGE = 500;

  /** The sorts of failures. */
  public enum Kind {
    /** A constraint of the database forbids it (SQLState 23). */
    CONSTRAINT,
    /** A value does not fit (22, 21). */
    DATA,
    /** The statement is wrong, or not permitted (42, 0A, …). */
    STATEMENT,
    /** The gateway does not perform such statements. */
    UNSUPPORTED,
    /** It took longer than the statement time-out. */
    TIMEOUT,
    /** Its result is larger than the limits allow; it was undone. */
    LIMIT,
    /** The idempotency key was used with another request. */
    KEY_REUSED,
    /** The message could not be understood. */
    UNDECODABLE,
    /** Whether it took effect cannot be told; an operator has to look. */
    IN_DOUBT,
    /** It failed each time it was tried, or an operator failed it; nothing of it took effect. */
    GIVEN_UP,
    /** It ended the process each time it was performed; nothing of it took effect. */
    POISON,
    OTHER
  }

  public SqlFailure {
    // without lone surrogates, and without what PostgreSQL has in no text
    message = new String(message.getBytes(UTF_8), UTF_8).replace('\0', ' ');
    if (message.length() > MAX_MESSAGE) {
      int end = MAX_MESSAGE - 1;
      message =
          message.substring(0, Character.isHighSurrogate(message.charAt(end - 1)) ? end - 1 : end)
              + "…";
    }
  }

  public static SqlFailure of(SQLException e) {
    String state = e.getSQLState() == null ? "HY000" : e.getSQLState();
    return new SqlFailure(state, e.getErrorCode(), kind(e, state), String.valueOf(e.getMessage()));
  }

  public static SqlFailure unsupported(String reason) {
    return new SqlFailure("0A000", 0, Kind.UNSUPPORTED, reason);
  }

  /** What happened, in words of our own: the message of a driver may tell values. */
  public String words() {
    return switch (kind) {
      case CONSTRAINT -> "a constraint of the database forbids it";
      case DATA -> "a value does not fit";
      case STATEMENT -> "the statement is wrong, or not permitted";
      case TIMEOUT -> "it took longer than the statement time-out";
      case UNDECODABLE -> "the message could not be understood";
      case IN_DOUBT -> "whether it took effect cannot be told";
      case OTHER -> "the database refused it";
      case UNSUPPORTED, LIMIT, KEY_REUSED, GIVEN_UP, POISON ->
          message; // which are never a driver's
    };
  }

  private static Kind kind(SQLException e, String state) {
    if (e instanceof SQLTimeoutException || state.equals("57014") || state.equals("40502")) {
      return Kind.TIMEOUT;
    }
    return switch (state.substring(0, Math.min(2, state.length()))) {
      case "23" -> Kind.CONSTRAINT;
      case "22", "21" -> Kind.DATA;
      case "42", "0A", "2D", "25", "07" -> Kind.STATEMENT;
      default -> Kind.OTHER;
    };
  }
}
