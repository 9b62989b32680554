/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.database.SqlErrors;
import io.forebay.jdbc.batch.Failure.Step;
import io.forebay.jdbc.lane.Share;
import io.forebay.jdbc.ledger.FailureLog;
import io.forebay.jdbc.ledger.Ledger;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.DatabaseSession;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.jdbc.statement.OutcomeCodec;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.PerformAgain;
import io.forebay.jdbc.statement.Pieces;
import io.forebay.machine.CrashPoint;
import io.forebay.machine.Machine;
import io.forebay.queue.Fenced;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueUnavailable;
import io.forebay.service.progress.Disagreement;
import io.forebay.service.progress.Resumable;
import io.forebay.service.progress.Unavailable;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import java.util.function.LongConsumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs a batch in one transaction: progress, effects, outcomes. As long as all goes well, the
 * first insert is sent together with the lock of the progress; if the progress is not as expected,
 * it is rolled back. It uses several transactions if one would take too long, or to find the
 * message that makes it fail. After any exception, {@link #perform} may be called again with the
 * same batch until it returns.
 *
 * <p>After a COMMIT whose answer was lost, the next attempt begins with the same lock on a new
 * connection. It waits for the transaction in doubt. If the progress has then moved, that
 * transaction was committed, and its outcomes are valid.
 */
public final class BatchTransaction implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(BatchTransaction.class);

  private final GatewaySettings settings;
  private final Ledger ledger;
  private final Bookkeeping bookkeeping;
  private final PartitionSession session;
  private final LongConsumer inQueue;
  private final Pieces pieces;
  private final Retries retries;
  private final Attempts attempts;
  private final LockHolders locks;
  private final int partition;
  private final Share.@Nullable Worker turn;
  private Consumer<String> performing = _ -> {};
  private Step step = Step.CONNECT;

  /** The COMMIT that the next attempt finds to be done or to have failed; null if there is none. */
  private @Nullable Doubt doubt;

  /** Whether a lost session was replaced since the last commit. */
  private boolean reconnected;

  /** Whether the last attempt was committed. */
  private boolean smooth;

  /** How many bytes the last attempt kept as outcomes. */
  private int keptBytes;

  /** How long the present attempt waited for the in-queue, and for its statements. */
  private long waitedNanos;

  private long statementNanos;

  /** How much of the present attempt was lost to statements that fail. */
  private long lostNanos;

  private long next;
  private long answered;

  /** The last message that was read, which may have no statement; -1 before the first. */
  private long lastRead = -1;

  private long checksumOfLast;

  /**
   * A COMMIT without an answer.
   *
   * @param failure what it is if it was not done
   */
  private record Doubt(Pieces.Piece piece, Failure failure) {}

  /**
   * @param inQueue waits until everything before a position has reached its level of safety
   */
  public BatchTransaction(
      GatewaySettings settings,
      DataSource dataSource,
      Ledger ledger,
      int partition,
      FailureLog failures,
      LockHolders locks,
      LongConsumer inQueue) {
    this.inQueue = inQueue;
    this.locks = locks;
    this.settings = settings;
    this.ledger = ledger;
    this.partition = partition;
    this.bookkeeping = new Bookkeeping(settings, ledger, failures, partition);
    WriteProbe probe = new WriteProbe(dataSource, settings.statementTimeout(), ledger);
    this.session = new PartitionSession(settings, dataSource, probe);
    this.pieces = new Pieces(settings.statementTimeout());
    this.attempts = new Attempts(settings, partition, ledger, session);
    this.retries = new Retries(settings, partition, probe);
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
    lastRead = -1;
    next = position;
    answered = resultsBefore;
    attempts.startAt(position, begun);
    if (attempts.isSuspect()) {
      retries.suspect(position + Pieces.FIRST);
    }
  }

  /** How many messages the next batch may have. */
  public int atMost(int maxBatch) {
    return pieces.atMost(maxBatch);
  }

  /** Every result before {@code position} is safe in the out-queue. */
  public void answered(long position) {
    answered = position;
  }

  /** The next message of the batch. */
  public void performs(long position, long checksum) {
    lastRead = position;
    checksumOfLast = checksum;
  }

  /** Stores the position given to {@link #answered}; the next batch does so too. */
  public void keepAnswered() {
    inTransaction(current -> {
      ledger.answered(current, answered);
      return true;
    });
  }

  /**
   * @param to the position after the batch
   * @param committed receives the number of its committed statements, if the batch takes several
   *     transactions
   * @throws Unavailable if the caller must retry later
   */
  public void perform(Batch batch, long to, IntConsumer committed) {
    while (true) {
      Pieces.Piece piece = doubt == null ? next(batch, to) : doubt.piece();
      boolean done;
      attempts.enter();
      try {
        done = turn == null ? perform(batch, piece) : performInTurn(turn, batch, piece);
      } finally {
        attempts.leave();
      }
      if (done && piece.last()) {
        return;
      }
      if (done) {
        committed.accept(batch.committed());
      }
    }
  }

  /** The next piece; one message if that fails by decision. */
  private Pieces.Piece next(Batch batch, long to) {
    Pieces.Piece piece = pieces.next(batch, to, retries.suspicion().isOfOneMessage());
    if (retries.suspicion() == Suspicion.NONE
        || retries.suspicion().fails()
        || piece.statements().size() == 0) {
      return piece;
    }
    Pieces.Piece first = pieces.next(batch, to, true);
    if (attempts.isPoison()) {
      retries.fail(first, attempts.poison());
      return first;
    }
    return retries.isFailedByOperator(first) ? first : piece;
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
    long from = Machine.nanos();
    waitedNanos = 0;
    statementNanos = 0;
    lostNanos = 0;
    step = Step.CONNECT;
    Failure failure = null;
    boolean isLost = false;
    try {
      if (doubt == null) {
        attempt(piece);
      } else {
        failure = settle(doubt);
      }
      if (failure == null) {
        committed(batch, piece, Machine.nanos() - from - waitedNanos);
        return true;
      }
    } catch (PerformAgain e) {
      isLost = retries.suspicion().isolates();
      undo();
    } catch (SQLException
        | RuntimeException
        | StackOverflowError
        | OutOfMemoryError
        | LinkageError e) {
      if (e instanceof RuntimeException other && (step == Step.AWAIT || isOfOthers(e))) {
        session.giveUp();
        throw other;
      }
      failure = Failure.of(step, e, piece.isOneMessage(), piece.to());
      isLost = failure.isOfStatement();
    } catch (Error e) {
      attempts.keep();
      session.giveUp();
      throw e;
    } finally {
      if (step != Step.CONNECT) { // without a connection, nothing takes database time
        long took = Machine.nanos() - from - waitedNanos;
        settings.texts().times().addTransaction(took, isLost ? took : lostNanos);
      }
    }
    if (failure != null && !reconnected && failure.isOfEndedSession()) {
      session.giveUp(); // it ended while there was nothing to perform
      reconnected = true;
    } else if (failure != null) {
      failed(piece, failure);
    }
    return false;
  }

  private void committed(Batch batch, Pieces.Piece piece, long took) {
    next = piece.to();
    attempts.committed(retries.suspicion().fails(), next);
    retries.committed(next);
    locks.ends(partition);
    reconnected = false;
    smooth = true;
    pieces.committed(batch, piece, took, statementNanos, keptBytes);
  }

  /**
   * What is said of the queues and of other instances. Failed statements are read in the queue
   * again: an outage of the queue is no fault of theirs.
   */
  private static boolean isOfOthers(Throwable e) {
    return e instanceof Fenced
        || e instanceof Disagreement
        || e instanceof QueueUnavailable
        || e instanceof QueueFailed
        || e instanceof PositionOutOfRange;
  }

  private void undo() {
    try {
      session.open().rollback();
    } catch (SQLException e) {
      throw away(e);
    }
  }

  /**
   * Raises the suspicion; returns if the rest of the batch is to be retried at once.
   *
   * @throws Unavailable if it is to be retried later
   */
  private void failed(Pieces.Piece piece, Failure failure) {
    locks.failed(partition, failure.isOfLock());
    if (failure.leavesSession()) {
      undo();
    } else {
      session.giveUp();
    }
    if (step == Step.COMMIT) {
      doubt = new Doubt(piece, failure);
      throw retries.away(failure);
    }
    if (failure.ranOutOfTime()) {
      pieces.limitTo(1);
      return;
    }
    retries.failed(failure, piece);
  }

  /** Runs work on the ledger in a separate transaction. */
  public <R extends @Nullable Object> R inTransaction(LedgerWork<R> work) {
    try {
      DatabaseSession current = session.open();
      R result = work.run(current);
      current.commit();
      return result;
    } catch (SQLException e) {
      boolean ledgerFails = session.isOpen() && SqlErrors.of(e) == SqlErrors.STATEMENT;
      session.giveUp();
      throw ledgerFails ? retries.ledgerFails(e) : away(e);
    }
  }

  /** Finds out whether a COMMIT was done; returns its failure if not. */
  private @Nullable Failure settle(Doubt commit) throws SQLException {
    DatabaseSession current = session.open();
    step = Step.LOCK;
    boolean done = ledger.begin(current) != next;
    current.rollback();
    if (done) {
      ledger.mustBeAt(commit.piece().to());
      log.info("The commit whose answer was lost took effect; resuming at {}", commit.piece().to());
    }
    doubt = null;
    return done ? null : commit.failure();
  }

  private void attempt(Pieces.Piece piece) throws SQLException {
    Batch batch = piece.statements();
    DatabaseSession current = session.open();
    locks.begins(partition, current);
    step = Step.LOCK;
    Suspicion suspicion = retries.suspicion();
    attempts.begin(current, suspicion.isOfOneMessage());
    batch.undo();
    Locking opening = new Locking(current);
    if (!smooth || suspicion != Suspicion.NONE || batch.hasKeys()) {
      opening.lock(); // with a statement, an error would not say which of them failed
    }
    smooth = false;
    step = Step.BEGIN;
    if (suspicion.fails()) {
      bookkeeping.recognise(current, suspicion.readsKeys() ? batch : new Batch());
      batch.fail(Objects.requireNonNull(suspicion.reason()));
    } else {
      try {
        perform(current, batch, suspicion, opening);
      } catch (SQLException e) {
        if (!opening.done && SqlErrors.of(e) == SqlErrors.CONNECTION) {
          step = Step.LOCK; // the session may have ended while there was nothing to perform
        }
        throw e;
      }
    }
    opening.lock();
    CrashPoint.hit("after-effects");
    step = Step.KEEP;
    bookkeeping.keep(current, batch, piece.to(), answered, !suspicion.isUnlisted());
    Ledger.StoredBatch outcomes = outcomes(piece);
    keptBytes = outcomes.outcomes().length;
    // an error of both together would not say which of them failed
    boolean atOnce = !suspicion.isolates() && current.commitsWithUpdate();
    if (!atOnce) {
      ledger.keep(current, outcomes);
    }
    CrashPoint.hit("before-commit");
    step = Step.AWAIT;
    long reached = Machine.nanos();
    inQueue.accept(piece.to());
    waitedNanos = Machine.nanos() - reached;
    step = Step.COMMIT;
    try {
      if (atOnce) {
        ledger.keepAndCommit(current, outcomes);
      } else {
        current.commit();
      }
    } catch (SQLException e) {
      step = current.hasRolledBack(e) ? Step.COMMIT_REFUSED : Step.COMMIT;
      throw e;
    }
    CrashPoint.hit("after-commit");
  }

  private Ledger.StoredBatch outcomes(Pieces.Piece piece) {
    Batch batch = piece.statements();
    return new Ledger.StoredBatch(
        next,
        piece.to(),
        OutcomeCodec.encode(batch, next),
        batch.checksum(),
        piece.last() && lastRead >= 0
            ? new Resumable.LastPerformed(lastRead, checksumOfLast)
            : batch.last(),
        answered,
        attempts.afterCommit(retries.suspicion().fails()));
  }

  /** The lock of the progress, for the present attempt. */
  private final class Locking implements Opening {

    private final DatabaseSession current;
    private boolean done;

    private Locking(DatabaseSession current) {
      this.current = current;
    }

    @Override
    public void lock() throws SQLException {
      if (!done) {
        Step interrupted = step;
        step = Step.LOCK;
        ledger.begin(current);
        locked(interrupted);
      }
    }

    @Override
    public int update(String sql, Object... arguments) throws SQLException {
      if (done) {
        return current.update(sql, arguments);
      }
      int count = ledger.beginWith(current, sql, arguments);
      locked(step);
      return count;
    }

    private void locked(Step at) {
      done = true;
      ledger.mustBeAt(next);
      CrashPoint.hit("after-lock");
      step = at;
    }
  }

  private void perform(DatabaseSession current, Batch batch, Suspicion suspicion, Locking opening)
      throws SQLException {
    session.rules().apply(batch);
    bookkeeping.recognise(current, batch);
    batch.expire(ChronoUnit.MICROS.between(Instant.EPOCH, Machine.now()));
    List<PendingStatement> statements = batch.toPerform(settings.texts());
    step = Step.STATEMENTS;
    if (!suspicion.isOfOneMessage() && !retries.isLockAwaited()) {
      performing.accept("the database responds again; performing the first batch");
    }
    Performer performer = session.performer();
    performer.begin(batch, opening);
    boolean isolates = suspicion.isolates() || batch.size() > 0 && batch.get(0).isAlone();
    if (isolates) {
      opening.lock();
    }
    long begun = Machine.nanos();
    if (isolates) {
      Isolation isolation = new Isolation(current, performer, settings.texts(), batch, statements);
      isolation.perform();
      lostNanos = Math.max(0, Machine.nanos() - begun - isolation.neededNanos());
    } else {
      performer.perform(statements);
      if (performer.changedForOthers(statements)) {
        throw new SQLException("a statement changed the session for others", "HY000");
      }
    }
    statementNanos = Machine.nanos() - begun;
  }

  private Unavailable away(SQLException e) {
    Step at = session.isOpen() ? Step.BEGIN : Step.CONNECT;
    session.giveUp();
    return retries.away(Failure.of(at, e, false, next));
  }

  @Override
  public void close() {
    if (turn != null) {
      turn.close();
    }
    attempts.close();
    session.giveUp();
    settings.blocked().free(partition);
    locks.ends(partition);
    bookkeeping.close();
  }

  /** Work in a transaction. */
  @FunctionalInterface
  public interface LedgerWork<R extends @Nullable Object> {
    R run(DatabaseSession session) throws SQLException;
  }
}
