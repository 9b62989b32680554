/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.database.SqlErrors;
import io.forebay.jdbc.lane.Share;
import io.forebay.jdbc.ledger.FailureLog;
import io.forebay.jdbc.ledger.Ledger;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.PerformSingly;
import io.forebay.jdbc.statement.Pieces;
import io.forebay.machine.CrashPoint;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueUnavailable;
import io.forebay.service.progress.Resumable;
import io.forebay.service.progress.Unavailable;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Consumer;
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
 * <p>After a COMMIT whose answer was lost, the next attempt begins with the same lock on a new
 * connection. It waits for the transaction in doubt. If the progress has then moved, that
 * transaction was committed, and its outcomes are valid.
 */
public final class BatchTransaction implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(BatchTransaction.class);

  private final GatewaySettings settings;
  private final @Nullable Ledger ledger;
  private final Bookkeeping bookkeeping;
  private final PartitionSession session;
  private final Safety inQueue;
  private final Pieces pieces;
  private final Retries retries;
  private final Attempts attempts;
  private final LostResult lostResult;
  private final int partition;
  private final Share.@Nullable Worker turn;
  private Consumer<String> performing = _ -> {};
  private Retries.Step step = Retries.Step.CONNECT;
  private boolean isolating;
  private boolean inDoubt;

  /** The outcomes are written before the commit, because both together failed. */
  private boolean apart;

  private int failedInBatch;

  /** How long the present attempt waited for the in-queue, and for its statements. */
  private long waitedNanos;

  private long statementNanos;

  private long next;
  private long answered;
  private Resumable.@Nullable LastPerformed last;

  public BatchTransaction(
      GatewaySettings settings,
      DataSource dataSource,
      @Nullable Ledger ledger,
      int partition,
      @Nullable FailureLog failures,
      Safety inQueue) {
    this.inQueue = inQueue;
    this.settings = settings;
    this.ledger = ledger;
    this.partition = partition;
    this.bookkeeping = new Bookkeeping(settings, ledger, failures, partition);
    this.session = new PartitionSession(settings, dataSource);
    this.pieces = new Pieces(settings.limits().statementTimeout());
    this.attempts =
        new Attempts(ledger, "partition " + partition + " of service " + settings.service());
    this.retries = new Retries(settings, dataSource, ledger, partition, pieces);
    this.lostResult = new LostResult(session, retries);
    this.turn = settings.share() == null ? null : settings.share().addWorker();
  }

  /** Passes what to call when the database performs statements again. */
  public void whenAvailable(Consumer<String> receiver) {
    performing = receiver;
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
    return Math.min(attempts.atMost(maxBatch), pieces.atMost(maxBatch));
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
      boolean done = turn == null ? perform(batch, piece) : performInTurn(turn, batch, piece);
      if (done && piece.last()) {
        return;
      }
      if (done) {
        committed.accept(batch.committed());
      }
    }
  }

  /** Waits until its lane may use the database, see {@link io.forebay.jdbc.lane.Shares}. */
  private boolean performInTurn(Share.Worker worker, Batch batch, Pieces.Piece piece) {
    boolean more = !piece.last() || settings.queueEnd().apply(partition).orElse(0) > piece.to();
    worker.begin();
    try {
      return perform(batch, piece);
    } finally {
      worker.end(more);
    }
  }

  /**
   * @return whether it was committed; if not, the caller retries, perhaps in smaller pieces
   */
  private boolean perform(Batch batch, Pieces.Piece piece) {
    isolating |= isPoison(piece) || retries.isDecided(piece);
    long from = nanos();
    waitedNanos = 0;
    statementNanos = 0;
    try {
      attempt(piece);
      isolating = false;
      inDoubt = false;
      apart = false;
      next = piece.to();
      attempts.committed();
      settings.failed().add(failedInBatch);
      retries.succeeded();
      pieces.committed(
          batch, piece, nanos() - from - waitedNanos, statementNanos, session.resultsFill());
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
      session.giveUp();
      isolating |= step.compareTo(Retries.Step.BEGIN) > 0 && piece.isOneMessage();
      retries.failed(batch, piece, step, e);
    } catch (RuntimeException | StackOverflowError | OutOfMemoryError | LinkageError e) {
      session.giveUp();
      boolean ofMessage =
          step == Retries.Step.STATEMENTS || step == Retries.Step.KEEP && !isOfQueue(e);
      if (!ofMessage || Retries.hasVerdict(piece)) {
        throw e;
      }
      if (step == Retries.Step.KEEP) {
        log.warn(
            "Outcomes of service {} not written to the ledger (partition={}, position={});"
                + " performing its messages one at a time",
            settings.service(),
            partition,
            next,
            e);
      }
      isolating |= piece.isOneMessage();
      retries.failed(
          batch, piece, step, Retries.defect("performing it threw %s; it had no effect", e));
    } catch (Error e) {
      attempts.keep();
      session.giveUp();
      throw e;
    } finally {
      if (step != Retries.Step.CONNECT) { // without a connection, nothing takes database time
        settings.texts().times().addTransaction(nanos() - from - waitedNanos);
      }
    }
    return false;
  }

  /**
   * Failed statements are read in the queue again: an outage of the queue is no fault of theirs.
   */
  private static boolean isOfQueue(Throwable e) {
    return e instanceof QueueUnavailable
        || e instanceof QueueFailed
        || e instanceof PositionOutOfRange;
  }

  private long nanos() {
    return settings.clock().nanos().getAsLong();
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

  private void undo() {
    try {
      session.open().rollback();
    } catch (SQLException e) {
      throw away(e);
    }
  }

  /** Runs work on the ledger in a separate transaction. */
  public <R> R inTransaction(LedgerWork<R> work) {
    try {
      DatabaseSession current = session.open();
      R result = work.run(current);
      current.commit();
      return result;
    } catch (SQLException e) {
      boolean ledgerFails = session.isOpen() && SqlErrors.of(e) == SqlErrors.STATEMENT;
      session.giveUp();
      throw ledgerFails ? retries.ledgerFails(e) : away(e);
    } catch (RuntimeException e) {
      session.giveUp();
      throw e;
    }
  }

  /** Runs a query again whose result was not kept, in a read-only transaction. */
  public Outcome askAgain(PendingStatement query) {
    return lostResult.askAgain(query);
  }

  private void attempt(Pieces.Piece piece) throws SQLException {
    Batch batch = piece.statements();
    long to = piece.to();
    step = Retries.Step.CONNECT;
    DatabaseSession current = session.open();
    step = Retries.Step.BEGIN;
    if (attempts.begin(current)) {
      current.commit();
    }
    long stored = ledger == null ? next : ledger.begin(current);
    if (stored != next) {
      bookkeeping.mustHaveCommitted(current, stored, next, to, inDoubt);
      return;
    }
    CrashPoint.hit("after-lock");
    inDoubt = false;
    batch.undo();
    session.rules().apply(batch);
    bookkeeping.recognise(current, batch);
    batch.expire(ChronoUnit.MICROS.between(Instant.EPOCH, settings.clock().wall().instant()));
    List<PendingStatement> statements = batch.toPerform(settings.independent());
    step = Retries.Step.STATEMENTS;
    if (!retries.failRepeatedly()) {
      performing.accept("the database responds again; performing the first batch");
    }
    long begun = nanos();
    performStatements(statements);
    statementNanos = nanos() - begun;
    CrashPoint.hit("after-effects");
    step = Retries.Step.KEEP;
    bookkeeping.remember(current);
    failedInBatch = bookkeeping.keep(current, batch, to, answered);
    if (ledger == null && statements.isEmpty()) {
      return; // there is nothing to commit
    }
    // an error of both together would not say which of them failed
    boolean atOnce = !isolating && !apart && current.commitsWithUpdate();
    Ledger.StoredBatch outcomes =
        ledger == null ? null : bookkeeping.outcomes(batch, session.rules(), next, to);
    if (ledger != null && outcomes != null && !atOnce) {
      ledger.keep(current, stepOf(piece), outcomes);
    }
    CrashPoint.hit("before-commit");
    step = Retries.Step.COMMIT;
    long reached = nanos();
    inQueue.await(to);
    waitedNanos = nanos() - reached;
    commit(current, stepOf(piece), atOnce ? outcomes : null);
    CrashPoint.hit("after-commit");
  }

  private Ledger.Step stepOf(Pieces.Piece piece) {
    return new Ledger.Step(piece.last() ? last : null, answered, attempts.afterCommit());
  }

  private void performStatements(List<PendingStatement> statements) throws SQLException {
    session.performer().begin();
    if (isolating) {
      session.performer().isolated(statements);
      return;
    }
    try {
      session.performer().together(statements);
      if (!session.performer().changedForOthers(statements)) {
        return;
      }
    } catch (SQLException e) {
      if (SqlErrors.of(e) != SqlErrors.STATEMENT) {
        throw e;
      }
    }
    session.open().rollback();
    throw new Isolate();
  }

  /**
   * @param outcomes to be written with the commit, or null
   */
  private void commit(
      DatabaseSession current, Ledger.Step end, Ledger.@Nullable StoredBatch outcomes)
      throws SQLException {
    try {
      if (ledger != null && outcomes != null) {
        ledger.keepAndCommit(current, end, outcomes);
      } else {
        current.commit();
      }
    } catch (SQLException e) {
      apart = outcomes != null;
      inDoubt = !current.hasRolledBack(e);
      if (apart && SqlErrors.of(e) == SqlErrors.TRANSIENT) {
        throw away(e); // perhaps of the outcomes, which the next attempt shows
      }
      if (!isolating && (!inDoubt || SqlErrors.of(e) == SqlErrors.STATEMENT)) {
        // a deferred constraint failed at the commit, which names no statement, or the outcomes
        session.giveUp();
        throw new Isolate();
      }
      throw e;
    }
  }

  private Unavailable away(SQLException e) {
    if (!session.isOpen()) {
      return retries.noConnection(e);
    }
    session.giveUp();
    return retries.away(e, "");
  }

  @Override
  public void close() {
    if (turn != null) {
      turn.close();
    }
    attempts.takeBack(session);
    session.giveUp();
    settings.blocked().free(partition);
    bookkeeping.close();
  }

  /** Waits until everything before a position has reached the in-queue's level of safety. */
  @FunctionalInterface
  public interface Safety {
    void await(long position);
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
