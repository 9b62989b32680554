/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.database.SqlErrors;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.ledger.Ledger;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.Pieces;
import io.forebay.service.progress.Unavailable;
import io.forebay.text.Formats;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides how a failed transaction is retried: later, at once in smaller pieces, or with the
 * message that causes the failure marked as failed.
 *
 * <p>The gateway waits for an unavailable database without limit and fails no statement meanwhile.
 * But a statement may raise a transient error, such as a deadlock, at every attempt. So after the
 * second failure in a row, messages are tried one at a time, and those before the failing one are
 * committed. The failing one gets a limited number of attempts while the database performs other
 * work. Its failure is committed with the progress, like any result. For one thread.
 */
public final class Retries {

  private static final Logger log = LoggerFactory.getLogger(Retries.class);

  private final GatewaySettings settings;
  private final int partition;
  private final Pieces pieces;
  private final WriteProbe probe;
  private int failures;
  private int tries;
  private boolean ledgerFailed;
  private String lastLedgerError = "";

  /** What a transaction does. */
  enum Step {
    CONNECT,
    /** Moves the progress and looks up keys. */
    BEGIN,
    STATEMENTS,
    /** Writes the outcomes of the statements. */
    KEEP,
    COMMIT
  }

  Retries(
      GatewaySettings settings,
      DataSource dataSource,
      @Nullable Ledger ledger,
      int partition,
      Pieces pieces) {
    this.settings = settings;
    this.partition = partition;
    this.pieces = pieces;
    this.probe = new WriteProbe(dataSource, settings.limits(), ledger);
  }

  void succeeded() {
    if (failures > 0) {
      settings.blocked().free(partition);
    }
    failures = 0;
    tries = 0;
    ledgerFailed = false;
    lastLedgerError = "";
  }

  /** Whether statements failed twice in a row, although the database may perform others. */
  boolean failRepeatedly() {
    return failures > 1;
  }

  /** Applies the operator's verdict to the statements of the piece, if there is one. */
  boolean isDecided(Pieces.Piece piece) {
    if (failures == 0 || piece.statements().size() == 0) {
      return false;
    }
    String reason = settings.blocked().verdict(partition, position(piece));
    if (reason == null) {
      return false;
    }
    giveVerdict(
        piece,
        new SqlFailure("HY008", 0, SqlFailure.Kind.GIVEN_UP, "an operator failed it: " + reason));
    return true;
  }

  /**
   * Handles a piece that is certainly rolled back. Returns if the batch is to be retried at once.
   *
   * @throws Unavailable if it is to be tried later
   */
  void failed(Batch batch, Pieces.Piece piece, Step step, SQLException e) {
    if (step == Step.CONNECT) {
      throw noConnection(e);
    }
    boolean passes = mayPass(step, e);
    if (step == Step.BEGIN) {
      // at first it may be a statement that was prepared before a change of the schema
      boolean again = ledgerFailed;
      ledgerFailed = !passes;
      throw passes || !again ? away(e, "") : ledgerFails(e);
    }
    if (SqlErrors.ranOutOfTime(e) && !piece.isOneMessage()) {
      pieces.tookTooLong(batch);
      return;
    }
    failures++;
    if (passes && failures == 1) {
      throw away(e, "");
    }
    if (!piece.isOneMessage()) {
      batch.singly();
      return;
    }
    blamed(piece, step, e, passes);
  }

  /** One message fails on its own. */
  private void blamed(Pieces.Piece piece, Step step, SQLException e, boolean passes) {
    boolean decided = piece.statements().size() == 0 || hasVerdict(piece);
    if (decided && !passes) {
      // it is not the statement, since that was not performed
      withdrawVerdict(piece);
      throw ledgerFails(e);
    }
    SQLException others = probe.ask();
    if (others != null && SqlErrors.of(others) == SqlErrors.STATEMENT) {
      throw ledgerFails(others);
    }
    if (!decided) {
      settings
          .blocked()
          .block(
              partition,
              position(piece),
              "SQLState %s; the database performs %s"
                  .formatted(
                      e.getSQLState(),
                      others == null ? "other statements" : "no other statements either"),
              settings.clock().wall().instant());
    }
    if (decided || others != null) {
      throw away(e, "");
    }
    tries++;
    if (!passes) {
      if (tries > 1) { // at first a ledger may just have been repaired
        giveVerdict(piece, step == Step.KEEP ? notKept(e) : SqlFailure.of(e));
      }
      return;
    }
    if (tries >= settings.tries()) {
      giveVerdict(piece, givenUp(e));
      return;
    }
    throw failsAgain(position(piece), e);
  }

  /**
   * Handles a failure to run a query again whose result was lost. Returns if the query is given up.
   *
   * @throws Unavailable if it is to be tried later
   */
  void askedInVain(PendingStatement query, SQLException e) {
    failures++;
    if (failures == 1 || probe.ask() != null) {
      throw away(e, "");
    }
    tries++;
    if (tries < settings.tries()) {
      throw failsAgain(query.position(), e);
    }
    failures = 0;
    tries = 0;
  }

  /** A time-out on the ledger's tables is not a time-out of the statement. */
  private static boolean mayPass(Step step, SQLException e) {
    boolean bookkeeping = step == Step.BEGIN || step == Step.KEEP;
    return SqlErrors.of(e) != SqlErrors.STATEMENT
        || (bookkeeping && SqlFailure.of(e).kind() == SqlFailure.Kind.TIMEOUT);
  }

  /** Whether it is decided that its message fails; then its statements are not performed. */
  static boolean hasVerdict(Pieces.Piece piece) {
    return piece.statements().size() > 0 && piece.statements().get(0).verdict != null;
  }

  static void giveVerdict(Pieces.Piece piece, SqlFailure verdict) {
    Batch statements = piece.statements();
    for (int i = 0; i < statements.size(); i++) {
      statements.get(i).verdict = verdict;
    }
  }

  private static void withdrawVerdict(Pieces.Piece piece) {
    Batch statements = piece.statements();
    for (int i = 0; i < statements.size(); i++) {
      statements.get(i).verdict = null;
    }
  }

  private static long position(Pieces.Piece piece) {
    return piece.statements().get(0).position();
  }

  private Unavailable failsAgain(long position, SQLException e) {
    return new Unavailable(
        ("a statement of service %s fails repeatedly while the database performs"
                + " others (partition=%d, position=%d, SQLState %s, tries=%d, limit=%d); it"
                + " is retried, and fails for good after the last try")
            .formatted(
                settings.service(), partition, position, e.getSQLState(), tries, settings.tries()),
        e);
  }

  private SqlFailure givenUp(SQLException e) {
    return new SqlFailure(
        SqlFailure.of(e).sqlState(),
        e.getErrorCode(),
        SqlFailure.Kind.GIVEN_UP,
        "it failed %d times with SQLState %s while the database performed other statements"
            .formatted(tries, e.getSQLState()));
  }

  private static SqlFailure notKept(SQLException e) {
    return new SqlFailure(
        SqlFailure.of(e).sqlState(),
        e.getErrorCode(),
        SqlFailure.Kind.GIVEN_UP,
        ("its outcome could not be written to the ledger (SQLState %s), so it was"
                + " rolled back; its result may be too large")
            .formatted(e.getSQLState()));
  }

  /**
   * An exception of the driver, or of code that it runs in this process; its message may contain
   * values.
   */
  static SQLException defect(String text, Throwable e) {
    return new SQLException(text.formatted(e.getClass().getName()), "XX000", e);
  }

  /** Quotes the driver's message. {@link #away} does not, because it may contain values there. */
  Unavailable noConnection(SQLException e) {
    return away(e, ": " + Formats.clause(String.valueOf(e.getMessage())));
  }

  Unavailable away(SQLException e, String text) {
    return new Unavailable(
        "the database of service %s is unavailable (SQLState %s%s)"
            .formatted(settings.service(), e.getSQLState(), text),
        e);
  }

  /**
   * The message of an error of class 42 contains names of tables, columns and privileges, but no
   * values.
   */
  Unavailable ledgerFails(SQLException e) {
    String state = SqlFailure.of(e).sqlState();
    String message =
        ("the ledger of service %s cannot be read or written (SQLState %s%s); the"
                + " database responds, but schema forebay is damaged, see docs/operations.md")
            .formatted(
                settings.service(), state, state.startsWith("42") ? ": " + e.getMessage() : "");
    if (!message.equals(lastLedgerError)) {
      lastLedgerError = message;
      log.error("Ledger damaged: {}; nothing is performed until an operator repairs it", message);
    }
    return new Unavailable(message, e);
  }
}
