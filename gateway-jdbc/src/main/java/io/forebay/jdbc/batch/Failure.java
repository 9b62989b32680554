/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.database.SqlErrors;
import io.forebay.jdbc.SqlFailure;
import java.sql.SQLException;

/**
 * A transaction that failed.
 *
 * @param ofOneMessage whether it could not be smaller
 * @param to the position behind its messages
 */
record Failure(Step step, SQLException error, boolean ofOneMessage, long to) {

  /** Of an exception that is not the database's, as of its internal errors. */
  private static final String DEFECT = "XX000";

  /** What a transaction does. */
  enum Step {
    CONNECT,
    /** Locks and reads the progress. */
    LOCK,
    /** Looks up keys. */
    BEGIN,
    STATEMENTS,
    /** Writes the outcomes of the statements. */
    KEEP,
    /** Waits until the messages are safe in the in-queue. */
    AWAIT,
    /** Whether it was done is not known. */
    COMMIT,
    COMMIT_REFUSED
  }

  /**
   * Whatever was thrown; the message of an exception that is not the database's may have values.
   */
  static Failure of(Step step, Throwable thrown, boolean ofOneMessage, long to) {
    SQLException error =
        thrown instanceof SQLException sql
            ? sql
            : new SQLException(
                "performing it threw %s; it had no effect".formatted(thrown.getClass().getName()),
                DEFECT,
                thrown);
    return new Failure(step, error, ofOneMessage, to);
  }

  /**
   * Whether the same transaction may succeed later. A time-out on the tables of the ledger is none
   * of the statement.
   */
  boolean mayPass() {
    return SqlErrors.of(error) != SqlErrors.STATEMENT
        || (isBookkeeping() && SqlFailure.of(error).kind() == SqlFailure.Kind.TIMEOUT);
  }

  /**
   * Whether the tables of the ledger are not as they must be: their statements have constant texts.
   */
  boolean isOfLedger() {
    return (step == Step.LOCK || isBookkeeping())
        && SqlFailure.of(error).sqlState().startsWith("42");
  }

  /** Whether nothing of the messages was used. */
  boolean isOfNoMessage() {
    return step == Step.CONNECT || step == Step.LOCK;
  }

  /** Whether the session was lost before anything of the messages was used. */
  boolean isOfEndedSession() {
    return step == Step.LOCK && SqlErrors.of(error) == SqlErrors.CONNECTION;
  }

  /** Whether another session holds a lock, for which the transaction perhaps waited. */
  boolean isOfLock() {
    return "55P03".equals(error.getSQLState());
  }

  /** Whether a statement of one message waited for a lock of another session until it timed out. */
  boolean waitedForLock() {
    return ofOneMessage && SqlErrors.waitedForLock(error);
  }

  /** Whether it is not the database that says so. */
  boolean isDefect() {
    return error.getCause() != null && DEFECT.equals(error.getSQLState());
  }

  private boolean isBookkeeping() {
    return step == Step.BEGIN || step == Step.KEEP;
  }

  /** Whether the session can be used again: the database refused a statement. */
  boolean leavesSession() {
    return step == Step.STATEMENTS && !mayPass() && !DEFECT.equals(error.getSQLState());
  }

  /** Whether a statement failed by itself, and not because the database is slow. */
  boolean isOfStatement() {
    return !isOfNoMessage()
        && SqlErrors.of(error) == SqlErrors.STATEMENT
        && SqlFailure.of(error).kind() != SqlFailure.Kind.TIMEOUT;
  }

  /** Whether fewer messages may be fast enough. */
  boolean ranOutOfTime() {
    return !ofOneMessage && step.compareTo(Step.BEGIN) > 0 && SqlErrors.ranOutOfTime(error);
  }

  /**
   * Why the message fails.
   *
   * @param tries how often it failed
   */
  SqlFailure verdict(int tries) {
    SqlFailure failure = SqlFailure.of(error);
    String why =
        mayPass()
            ? "it failed %2$d times with SQLState %1$s while the database performed other statements"
            : step == Step.BEGIN
                ? "its key could not be looked up in the ledger (SQLState %1$s), so it was not performed"
                : step == Step.KEEP
                    ? "its outcome could not be written to the ledger (SQLState %1$s), so it was rolled back; its result may be too large"
                    : null;
    return why == null
        ? failure
        : new SqlFailure(
            failure.sqlState(),
            failure.vendorCode(),
            SqlFailure.Kind.GIVEN_UP,
            why.formatted(failure.sqlState(), tries));
  }
}
