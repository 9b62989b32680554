/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.database.SqlErrors;
import io.forebay.jdbc.ledger.FailureLog;
import io.forebay.jdbc.ledger.KeyRetention;
import io.forebay.jdbc.ledger.Ledger;
import io.forebay.jdbc.ledger.Requests;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.OutcomeCodec;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.PerformSingly;
import io.forebay.jdbc.statement.Pieces;
import io.forebay.jdbc.statement.SqlRules;
import io.forebay.service.CrashPoint;
import io.forebay.service.progress.Disagreement;
import io.forebay.service.progress.Resumable;
import io.forebay.service.progress.Unavailable;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs a batch in one transaction: progress, effects, outcomes. It uses several transactions if
 * one would take too long, or to find the message that makes it fail. After any exception, {@link
 * #perform} may be called again with the same batch until it returns.
 *
 * <p>After a COMMIT whose answer was lost, the next attempt begins with the same compare-and-set on
 * a new connection. It waits for the transaction in doubt. If the row has then moved, that
 * transaction was committed, and its outcomes are valid.
 */
public final class BatchTransaction implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(BatchTransaction.class);
  private static final int PRUNE_EVERY = 16;

  private final GatewaySettings settings;
  private final DataSource dataSource;
  private final @Nullable Ledger ledger;
  private final @Nullable FailureLog failures;
  private final Requests requests;
  private final KeyRetention keys;
  private final Safety inQueue;
  private final Pieces pieces;
  private final Retries retries;
  private final Attempts attempts;
  private final int partition;
  private @Nullable DatabaseSession session;
  private @Nullable SqlRules rules;
  private @Nullable Performer performer;
  private Retries.Step step = Retries.Step.CONNECT;
  private boolean isolating;
  private boolean inDoubt;
  private int failedInBatch;
  private long next;
  private long answered;
  private Resumable.@Nullable LastPerformed last;
  private int batchesSincePruned;

  public BatchTransaction(
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
    this.partition = partition;
    this.requests = new Requests(settings.service(), partition);
    this.pieces = new Pieces(settings.limits().statementTimeout());
    this.attempts =
        new Attempts(ledger, "partition " + partition + " of service " + settings.service());
    this.retries = new Retries(settings, dataSource, ledger, partition, pieces);
    this.keys =
        new KeyRetention(
            settings.service(),
            partition,
            settings.clock(),
            () -> settings.queueEnd().apply(partition));
  }

  /** The first position that was not performed. */
  public long next() {
    return next;
  }

  /**
   * @param position the first position that was not performed
   * @param resultsBefore the position before which every result is safe in the out-queue
   * @param begun how often a batch from there was begun but not committed
   */
  public void startAt(long position, long resultsBefore, int begun) {
    next = position;
    answered = resultsBefore;
    attempts.startAt(position, begun);
  }

  /** How many messages the next batch may have. */
  public int atMost(int maxBatch) {
    return attempts.atMost(maxBatch);
  }

  /** Every result before {@code position} is safe in the out-queue. */
  public void answered(long position) {
    answered = position;
  }

  /** Sets the last message of the batch. */
  public void endsWith(Resumable.LastPerformed message) {
    last = message;
  }

  /** Stores the position given to {@link #answered}; the next batch does so too. */
  public void keepAnswered() {
    if (ledger != null) {
      inTransaction(current -> {
        ledger.answered(current, answered);
        return true;
      });
    }
  }

  /**
   * @param to the position after the batch
   * @param committed receives the number of its committed statements, if the batch takes several
   *     transactions
   * @throws Unavailable if the caller must retry later
   */
  public void perform(Batch batch, long to, IntConsumer committed) {
    while (true) {
      Pieces.Piece piece = pieces.next(batch, to);
      boolean done = perform(batch, piece);
      if (done && piece.last()) {
        return;
      }
      if (done) {
        committed.accept(batch.committed());
      }
    }
  }

  /**
   * @return whether it was committed; if not, the caller retries, perhaps in smaller pieces
   */
  private boolean perform(Batch batch, Pieces.Piece piece) {
    isolating |= isPoison(piece) || retries.isDecided(piece);
    try {
      long from = System.nanoTime();
      attempt(piece);
      isolating = false;
      inDoubt = false;
      next = piece.to();
      attempts.committed();
      settings.failed().add(failedInBatch);
      retries.succeeded();
      pieces.committed(batch, piece, Math.max(System.nanoTime() - from, nanosOfResults()));
      return true;
    } catch (Isolate e) {
      isolating = true;
    } catch (PerformSingly e) {
      undo();
    } catch (ResultsFull e) {
      undo();
      pieces.atMost(batch, e.performed() - 1);
    } catch (SQLException e) {
      if (step == Retries.Step.COMMIT && inDoubt) {
        throw away(e);
      }
      giveUp();
      isolating |= step.compareTo(Retries.Step.BEGIN) > 0 && piece.isOneMessage();
      retries.failed(batch, piece, step, e);
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError | LinkageError e) {
      giveUp();
      if (step != Retries.Step.STATEMENTS) {
        throw e;
      }
      isolating |= piece.isOneMessage();
      retries.failed(batch, piece, step, defect("performing it threw %s; it had no effect", e));
    } catch (Error e) {
      attempts.keep();
      giveUp();
      throw e;
    }
    return false;
  }

  /** Counts the used share of result memory like the same share of the time limit. */
  private long nanosOfResults() {
    return performer == null ? 0 : (long) (performer.resultsFill() * pieces.targetNanos());
  }

  /** Fails the message that ends the process. */
  private boolean isPoison(Pieces.Piece piece) {
    if (!attempts.isPoison() || piece.statements().size() == 0) {
      return false;
    }
    if (piece.statements().get(0).verdict == null) {
      Retries.giveVerdict(piece, attempts.poison());
    }
    return true;
  }

  /**
   * An exception of the driver, or of code that it runs in this process; its message may contain
   * values.
   */
  private static SQLException defect(String text, Throwable e) {
    return new SQLException(text.formatted(e.getClass().getName()), "XX000", e);
  }

  private void undo() {
    try {
      session().rollback();
    } catch (SQLException e) {
      throw away(e);
    }
  }

  /** Runs work on the ledger in a separate transaction. */
  public <R> R inTransaction(LedgerWork<R> work) {
    try {
      DatabaseSession current = session();
      R result = work.run(current);
      current.commit();
      return result;
    } catch (SQLException e) {
      boolean ledgerFails = session != null && SqlErrors.of(e) == SqlErrors.STATEMENT;
      giveUp();
      throw ledgerFails ? retries.ledgerFails(e) : away(e);
    } catch (RuntimeException e) {
      giveUp();
      throw e;
    }
  }

  /** Runs a query again whose result was not kept, in a read-only transaction. */
  public Outcome askAgain(PendingStatement query) {
    step = Retries.Step.CONNECT;
    try {
      DatabaseSession current = session();
      step = Retries.Step.STATEMENTS;
      Outcome outcome = LostResult.askAgain(current, performer(), query);
      current.rollback();
      return outcome;
    } catch (SQLException e) {
      if (step == Retries.Step.CONNECT) {
        throw away(e);
      }
      return askedInVain(query, e);
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError | LinkageError e) {
      if (step == Retries.Step.CONNECT) {
        throw e;
      }
      return askedInVain(query, defect("running the query again threw %s", e));
    }
  }

  /** The failure of a query that is given up. */
  private Outcome askedInVain(PendingStatement query, SQLException e) {
    giveUp();
    retries.askedInVain(query, e);
    return LostResult.failed(e);
  }

  private void attempt(Pieces.Piece piece) throws SQLException {
    Batch batch = piece.statements();
    long to = piece.to();
    step = Retries.Step.CONNECT;
    DatabaseSession current = session();
    step = Retries.Step.BEGIN;
    if (attempts.begin(current)) {
      current.commit();
    }
    if (ledger != null && !ledger.advance(current, stepOf(piece))) {
      mustHaveCommitted(current, to);
      return;
    }
    CrashPoint.hit("after-progress");
    inDoubt = false;
    batch.undo();
    rules().apply(batch);
    List<PendingStatement> keyed = batch.keyed();
    if (!keyed.isEmpty()) {
      requests.recognise(current, keyed);
    }
    List<PendingStatement> statements = batch.toPerform(settings.independent());
    step = Retries.Step.STATEMENTS;
    performStatements(statements);
    CrashPoint.hit("after-effects");
    step = Retries.Step.KEEP;
    if (!keyed.isEmpty()) {
      requests.remember(current, keyed, keys.now(current));
    }
    if (ledger != null) {
      keep(current, ledger, batch, to);
    } else if (statements.isEmpty()) {
      return; // there is nothing to commit
    }
    CrashPoint.hit("before-commit");
    inQueue.await(to);
    step = Retries.Step.COMMIT;
    commit(current);
    CrashPoint.hit("after-commit");
  }

  private Ledger.Step stepOf(Pieces.Piece piece) {
    return new Ledger.Step(
        next, piece.to(), piece.last() ? last : null, answered, attempts.afterCommit());
  }

  private void performStatements(List<PendingStatement> statements) throws SQLException {
    performer().begin();
    if (isolating) {
      performer().isolated(statements);
      return;
    }
    try {
      performer().together(statements);
      if (!performer().changedForOthers(statements)) {
        return;
      }
    } catch (SQLException e) {
      if (SqlErrors.of(e) != SqlErrors.STATEMENT) {
        throw e;
      }
    }
    session().rollback();
    throw new Isolate();
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
    Instant passed = keys.passed(current, to);
    if (passed != null) {
      requests.forget(current, passed.minus(settings.requestsKept()));
      if (failures != null) {
        failures.forget(current, keys.earlier(passed).minus(settings.failuresKept()));
      }
    }
  }

  private void commit(DatabaseSession current) throws SQLException {
    try {
      current.commit();
    } catch (SQLException e) {
      inDoubt = !SqlErrors.rolledBack(e);
      if (!isolating && (!inDoubt || SqlErrors.of(e) == SqlErrors.STATEMENT)) {
        // a deferred constraint failed at the commit, which names no statement
        giveUp();
        throw new Isolate();
      }
      throw e;
    }
  }

  private void mustHaveCommitted(DatabaseSession current, long to) throws SQLException {
    Ledger.Progress row = Objects.requireNonNull(ledger).verifyEpoch(current);
    current.rollback();
    if (!inDoubt || row.next() != to) {
      throw new Disagreement(
          (row.next() < next
                  ? "service %s: the database went back (its progress is %,d, it had performed"
                      + " up to %,d), as after a restore or a failover to a lagging standby;"
                      + " nothing is accepted or performed until an operator decides, see"
                      + " docs/operations.md, \"The database went back\""
                  : "the progress of service %s is %,d but must be %,d, and no other instance"
                      + " has taken over; check whether forebay.progress was changed by hand")
              .formatted(settings.service(), row.next(), next));
    }
    log.info("The commit whose answer was lost took effect; resuming at {}", to);
  }

  private DatabaseSession session() throws SQLException {
    if (session != null && session.isSpoilt()) {
      giveUp();
    }
    DatabaseSession current = session;
    if (current == null) {
      current = DatabaseSession.open(dataSource, settings.limits());
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

  private Unavailable away(SQLException e) {
    String text = session == null ? ": " + e.getMessage() : "";
    giveUp();
    return retries.away(e, text);
  }

  /** Closes the connection, which rolls back an open transaction. */
  private void giveUp() {
    DatabaseSession current = session;
    session = null;
    performer = null;
    if (current != null) {
      try {
        current.close();
      } catch (SQLException e) {
        log.debug("A broken connection could not be closed", e);
      }
    }
  }

  @Override
  public void close() {
    takeBackAttempt();
    giveUp();
    settings.blocked().free(partition);
    if (failures != null) {
      failures.close();
    }
  }

  /** Waits until everything before a position has reached the in-queue's level of safety. */
  @FunctionalInterface
  public interface Safety {
    void await(long position);
  }

  /** Orderly end: the current batch did not end the process. */
  private void takeBackAttempt() {
    if (attempts.isWritten()) {
      try {
        DatabaseSession current = session();
        current.rollback();
        attempts.takeBack(current);
        current.commit();
      } catch (SQLException | RuntimeException e) {
        log.debug(
            "The attempt stays recorded in the ledger; this only makes the next batch smaller", e);
      }
    }
  }

  /** Work in a transaction. */
  @FunctionalInterface
  public interface LedgerWork<R> {
    R run(DatabaseSession session) throws SQLException;
  }

  /** The batch failed as a whole; its statements must be isolated. */
  private static final class Isolate extends RuntimeException {
    private static final long serialVersionUID = 1;

    Isolate() {
      super(null, null, false, false);
    }
  }
}
