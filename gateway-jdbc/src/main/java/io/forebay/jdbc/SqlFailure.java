/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forebay.call.value.Values;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Why a statement was not performed: nothing of it took effect.
 *
 * @param sqlState the five characters of the SQL standard
 * @param vendorCode the error code of the database; 0 if it has none
 * @param kind the class of the failure, for programs
 * @param message the message of the database, shortened; it may contain values, so it is never sent
 *     over HTTP
 * @param on constraint, table and column, for the caller; null if the error names none, or the
 *     catalogue does not say {@code explain: true} for the statement
 */
public record SqlFailure(
    String sqlState,
    int vendorCode,
    Kind kind,
    String message,
    @Values.LeftOutIfNull @Nullable FailedObject on) {

  private static final int MAX_MESSAGE = 500;
  private static final int STATE_LENGTH = 5;

  /** The kinds of failures. */
  public enum Kind {
    /** It violates a constraint of the database (SQLState 23). */
    CONSTRAINT,
    /** A value does not fit (22, 21). */
    DATA,
    /** The statement is invalid or not permitted (42, 0A, …). */
    STATEMENT,
    /** The gateway does not perform such statements. */
    UNSUPPORTED,
    /** It took longer than the statement time-out. */
    TIMEOUT,
    /** Its result exceeds the limits; it was rolled back. */
    LIMIT,
    /** The idempotency key was used before with a different statement. */
    KEY_REUSED,
    /** A line of a stream that was performed before; it has a result of its own. */
    REPEATED,
    /** A line of a stream whose previous line was not performed; this one was not either. */
    LINE_MISSING,
    /** Its time to be performed was over. */
    EXPIRED,
    /** The message could not be decoded. */
    UNDECODABLE,
    /** Every attempt failed, or an operator failed it; nothing of it took effect. */
    GIVEN_UP,
    /** Every attempt to perform it ended the process; nothing of it took effect. */
    POISON,
    OTHER
  }

  public SqlFailure {
    sqlState = sqlState.substring(0, Math.min(STATE_LENGTH, sqlState.length()));
    // PostgreSQL stores neither lone surrogates nor NUL in text
    message = new String(message.getBytes(UTF_8), UTF_8).replace('\0', ' ');
    if (message.length() > MAX_MESSAGE) {
      int end = MAX_MESSAGE - 1;
      message =
          message.substring(0, Character.isHighSurrogate(message.charAt(end - 1)) ? end - 1 : end)
              + "…";
    }
  }

  /** A failure that names no constraint, table or column. */
  public SqlFailure(String sqlState, int vendorCode, Kind kind, String message) {
    this(sqlState, vendorCode, kind, message, null);
  }

  /** The same failure, with what it is about. */
  public SqlFailure on(@Nullable FailedObject object) {
    return new SqlFailure(sqlState, vendorCode, kind, message, object);
  }

  public static SqlFailure of(SQLException e) {
    String state = e.getSQLState() == null ? "HY000" : e.getSQLState();
    return new SqlFailure(state, e.getErrorCode(), kind(e, state), String.valueOf(e.getMessage()));
  }

  public static SqlFailure unsupported(String reason) {
    return new SqlFailure("0A000", 0, Kind.UNSUPPORTED, reason);
  }

  /** It exceeds a limit of Forebay. */
  public static SqlFailure limit(String reason) {
    return new SqlFailure("54000", 0, Kind.LIMIT, reason);
  }

  /**
   * What happened, without values: the message of a driver may contain some.
   *
   * @param object what the database named; null if it named nothing
   */
  public String words(@Nullable FailedObject object) {
    String words = isOfDriver() ? SqlStates.words(sqlState, object) : null;
    if (words != null) {
      return words;
    }
    return object == null ? words() : "%s (%s)".formatted(words(), object.words());
  }

  private boolean isOfDriver() {
    return switch (kind) {
      case CONSTRAINT, DATA, STATEMENT, TIMEOUT, OTHER -> true;
      default -> false;
    };
  }

  private String words() {
    return switch (kind) {
      case CONSTRAINT -> "it violates a constraint of the database";
      case DATA -> "a value is invalid or out of range";
      case STATEMENT -> "the statement is invalid or not permitted";
      case TIMEOUT -> "the statement timed out";
      case UNDECODABLE -> "the message could not be decoded";
      case OTHER -> "the database rejected it";
      case UNSUPPORTED, LIMIT, KEY_REUSED, REPEATED, LINE_MISSING, EXPIRED, GIVEN_UP, POISON ->
          message; // never the message of a driver
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
