/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import io.forebay.service.CrashPoint;
import io.forebay.service.Disagreement;
import io.forebay.service.Resumable;
import io.forebay.service.Unavailable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs a batch in one transaction: progress, effects, outcomes. Whatever happens, {@link
 * #perform} may be called again with the same batch until it returns.
 *
 * <p>After a COMMIT whose answer was lost, the next attempt begins with the same compare-and-set on
 * a new connection. It waits for the transaction in doubt; if it then finds the row moved, that
 * transaction has committed, and what was found out in it holds.
 */
final class BatchTransaction implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(BatchTransaction.class);
  private static final int PRUNE_EVERY = 16;
  private static final Duration FORGET_EVERY = Duration.ofHours(1);

  private final GatewaySettings settings;
  private final DataSource dataSource;
  private final @Nullable Ledger ledger;
  private final @Nullable FailureLog failures;
  private final Requests requests;
  private final Safety inQueue;
  private @Nullable DatabaseSession session;
  private @Nullable SqlRules rules;
  private @Nullable Performer performer;
  private boolean isolating;
  private boolean inDoubt;
  private int failedInBatch;
  private long next;
  private long answered;
  private Resumable.@Nullable LastPerformed last;
  private Instant forgottenAt = Instant.now();
  private int batchesSincePruned;

  BatchTransaction(
      GatewaySettings settings,
      DataSource dataSource,
      @Nullable Ledger ledger,
      int partition,
      @Nullable FailureLog failures,
      Safety inQueue) {
    this.inQueue = inQueue;
    this.settings = settings;
    this.dataSource = dataSource;
    this.ledger = ledger;
    this.failures = failures;
    this.requests = new Requests(settings.service(), partition);
  }

  /** The first position that was not performed. */
  long next() {
    return next;
  }

  /**
   * @param position the first position that was not performed
   * @param resultsBefore the position before which every result is in the out-queue, safely
   */
  void startAt(long position, long resultsBefore) {
    next = position;
    answered = resultsBefore;
  }

  /** Every result before {@code position} is in the out-queue, safely. */
  void answered(long position) {
    answered = position;
  }

  /** Which message is the last of the batch. */
  void endsWith(Resumable.LastPerformed message) {
    last = message;
  }

  /** Keeps what {@link #answered} said; the next batch does so too. */
  void keepAnswered() {
    if (ledger != null) {
      inTransaction(current -> {
        ledger.answered(current, answered);
        return true;
      });
    }
  }

  /**
   * @param to the position behind the batch
   * @throws Unavailable if it has to be tried again later
   */
  void perform(Batch batch, long to) {
    while (true) {
      try {
        attempt(batch, to);
        isolating = false;
        inDoubt = false;
        next = to;
        settings.failed().add(failedInBatch);
        return;
      } catch (Isolate e) {
        isolating = true;
      } catch (PerformSingly e) {
        undo();
      } catch (SQLException e) {
        throw unavailable(e);
      } catch (RuntimeException e) {
        giveUp();
        throw e;
      }
    }
  }

  private void undo() {
    try {
      session().rollback();
    } catch (SQLException e) {
      throw unavailable(e);
    }
  }

  /** Runs work of the ledger in a transaction of its own. */
  <R> R inTransaction(LedgerWork<R> work) {
    try {
      DatabaseSession current = session();
      R result = work.run(current);
      current.commit();
      return result;
    } catch (SQLException e) {
      throw unavailable(e);
    } catch (RuntimeException e) {
      giveUp();
      throw e;
    }
  }

  /** Asks a query again whose result was not kept. It cannot change anything now. */
  Outcome askAgain(PendingStatement query) {
    SqlFailure refusal = query.refusal;
    if (refusal != null) {
      return new Outcome.Failed(lost(refusal.sqlState(), refusal.message()), true);
    }
    try {
      DatabaseSession current = session();
      current.execute("set transaction read only");
      Outcome outcome;
      try {
        outcome = performer().query(query);
      } catch (SQLException e) {
        if (SqlErrors.of(e) != SqlErrors.STATEMENT
            && !SqlErrors.READ_ONLY.equals(e.getSQLState())) {
          throw e;
        }
        outcome =
            new Outcome.Failed(
                lost(SqlFailure.of(e).sqlState(), String.valueOf(e.getMessage())), true);
      }
      current.rollback();
      return outcome;
    } catch (SQLException e) {
      throw unavailable(e);
    }
  }

  private static SqlFailure lost(String sqlState, String reason) {
    return new SqlFailure(
        sqlState,
        0,
        SqlFailure.Kind.IN_DOUBT,
        "the query was performed before a restart, and its large result is lost: " + reason);
  }

  private void attempt(Batch batch, long to) throws SQLException {
    DatabaseSession current = session();
    if (ledger != null && !ledger.advance(current, new Ledger.Step(next, to, last, answered))) {
      mustHaveCommitted(current, to);
      return;
    }
    CrashPoint.hit("after-progress");
    inDoubt = false;
    batch.undo();
    boolean sessionMayChange = rules().apply(batch);
    List<PendingStatement> keyed = batch.keyed();
    if (!keyed.isEmpty()) {
      requests.recognise(current, keyed);
    }
    List<PendingStatement> statements = batch.toPerform(settings.independent());
    performStatements(statements);
    CrashPoint.hit("after-effects");
    if (!keyed.isEmpty()) {
      requests.remember(current, keyed);
    }
    if (ledger != null) {
      keep(current, ledger, batch, to);
    } else if (statements.isEmpty()) {
      return; // nothing was done that could be committed
    }
    CrashPoint.hit("before-commit");
    inQueue.await(to);
    commit(current);
    CrashPoint.hit("after-commit");
    if (sessionMayChange) {
      reset(current);
    }
  }

  private void performStatements(List<PendingStatement> statements) throws SQLException {
    if (isolating) {
      performer().isolated(statements);
      return;
    }
    try {
      performer().together(statements);
    } catch (SQLException e) {
      if (SqlErrors.of(e) != SqlErrors.STATEMENT) {
        throw e;
      }
      session().rollback();
      throw new Isolate();
    }
  }

  private void keep(DatabaseSession current, Ledger ledger, Batch batch, long to)
      throws SQLException {
    for (int i = 0; i < batch.size(); i++) {
      PendingStatement statement = batch.get(i);
      if (statement.deadLetter != null && !statement.recalled) {
        statement.deadLetter.keep(current);
      }
    }
    failedInBatch = failures == null ? 0 : failures.keep(current, batch);
    byte[] outcomes = OutcomeCodec.encode(batch, settings.limits().inlineResultBytes(), rules());
    ledger.keep(current, new Ledger.StoredBatch(next, to, outcomes, batch.checksum()));
    if (++batchesSincePruned >= PRUNE_EVERY && answered > 0) {
      ledger.prune(current, answered);
      batchesSincePruned = 0;
    }
    Instant now = Instant.now();
    if (forgottenAt.plus(FORGET_EVERY).isBefore(now)) {
      if (failures != null) {
        failures.forget(current, now.minus(settings.failuresKept()));
      }
      requests.forget(current, now.minus(settings.requestsKept()));
      forgottenAt = now;
    }
  }

  private void commit(DatabaseSession current) throws SQLException {
    try {
      current.commit();
    } catch (SQLException e) {
      if (SqlErrors.of(e) != SqlErrors.STATEMENT) {
        inDoubt = !SqlErrors.rolledBack(e);
      } else if (!isolating) {
        // a constraint that is checked at the commit, where no statement can be blamed
        current.rollback();
        throw new Isolate();
      }
      throw e;
    }
  }

  private void mustHaveCommitted(DatabaseSession current, long to) throws SQLException {
    Ledger.Progress row = Objects.requireNonNull(ledger).own(current);
    current.rollback();
    if (!inDoubt || row.next() != to) {
      throw new Disagreement(
          (row.next() < next
                  ? "service %s: the database went back (its progress names %,d, it had performed %,d), as"
                      + " after a failover to a standby that lags or a restore; nothing is accepted or"
                      + " performed until an operator decides, see docs/operations.md, \"The database"
                      + " went back\""
                  : "the progress of service %s stands at %,d where %,d was expected, and no one else"
                      + " has taken it over; was the table changed by hand?")
              .formatted(settings.service(), row.next(), next));
    }
    log.info("the commit whose answer was lost did happen; going on at {}", to);
  }

  /**
   * The batch is committed: a connection that cannot be reset is left to the next one to replace.
   */
  private void reset(DatabaseSession current) {
    try {
      current.reset();
    } catch (SQLException e) {
      log.warn(
          "the session of service {} could not be reset; it is replaced", settings.service(), e);
      giveUp();
    }
  }

  private DatabaseSession session() throws SQLException {
    DatabaseSession current = session;
    if (current == null) {
      Connection connection = dataSource.getConnection();
      current = new DatabaseSession(connection, settings.limits());
      session = current;
      if (rules == null) {
        rules = new SqlRules(current.dialect());
      }
      performer = new Performer(current, settings.limits(), rules);
    }
    return current;
  }

  private SqlRules rules() {
    return Objects.requireNonNull(rules);
  }

  private Performer performer() {
    return Objects.requireNonNull(performer);
  }

  /** The driver's text is told only of an attempt to connect: later it may tell values. */
  private Unavailable unavailable(SQLException e) {
    String text = session == null ? ": " + e.getMessage() : "";
    giveUp();
    return new Unavailable(
        "the database of service %s does not answer as needed (SQLState %s%s)"
            .formatted(settings.service(), e.getSQLState(), text),
        e);
  }

  /** Closes the connection: what is open on it is rolled back, at the latest then. */
  private void giveUp() {
    DatabaseSession current = session;
    session = null;
    performer = null;
    if (current != null) {
      try {
        current.close();
      } catch (SQLException e) {
        log.debug("a broken connection could not be closed", e);
      }
    }
  }

  @Override
  public void close() {
    giveUp();
    if (failures != null) {
      failures.close();
    }
  }

  /** Waits until the in-queue has everything before a position as safely as it says. */
  @FunctionalInterface
  interface Safety {
    void await(long position);
  }

  /** Work in a transaction. */
  @FunctionalInterface
  interface LedgerWork<R> {
    R run(DatabaseSession session) throws SQLException;
  }

  /** The batch failed as a whole; its statements have to be isolated. */
  private static final class Isolate extends RuntimeException {
    private static final long serialVersionUID = 1;

    Isolate() {
      super(null, null, false, false);
    }
  }
}
