/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc;

import io.forebay.call.Message;
import io.forebay.call.UndecodableMessage;
import io.forebay.service.BatchAware;
import io.forebay.service.CrashPoint;
import io.forebay.service.DeadLetters;
import io.forebay.service.Disagreement;
import io.forebay.service.Resumable;
import io.forebay.service.Unavailable;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.LongAdder;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Performs statements on a database and answers each with its result.
 *
 * <p>It needs no transport. Called on its own, each call is performed and answered before it
 * returns, in a transaction of its own. As the component of a {@link JDBCService} it performs what
 * came together as one transaction, keeps its progress in the ledger of the same database, and so
 * has every statement take effect once. A statement that fails is answered so, and takes none of
 * its neighbours with it.
 *
 * <p>For one thread.
 */
public final class JDBCComponent
    implements JDBCStatement, BatchAware, Resumable, DeadLetters, AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(JDBCComponent.class);

  private final JDBCResult result;
  private final GatewaySettings settings;
  private final @Nullable Ledger ledger;
  private final BatchTransaction transaction;
  private final Batch batch = new Batch();
  private @Nullable Recall recall;
  private String queueId = "";
  private boolean inBatch;
  private boolean performed;
  private int answers;

  /** A component without transport and without ledger. It connects at the first call. */
  public JDBCComponent(DataSource dataSource, JDBCResult result) {
    this(
        new GatewaySettings(
            "standalone",
            "standalone",
            new StatementTexts("standalone", true, null),
            Limits.defaults(),
            Duration.ZERO,
            Duration.ZERO,
            _ -> false,
            Results.ALL,
            new LongAdder()),
        dataSource,
        result,
        null,
        0,
        null,
        _ -> {});
  }

  /** The component of one partition of a service. */
  JDBCComponent(
      GatewaySettings settings,
      DataSource dataSource,
      JDBCResult result,
      int partition,
      FailureLog failures,
      BatchTransaction.Safety inQueue) {
    this(
        settings,
        dataSource,
        result,
        new Ledger(settings.service(), partition, settings.owner()),
        partition,
        failures,
        inQueue);
  }

  private JDBCComponent(
      GatewaySettings settings,
      DataSource dataSource,
      JDBCResult result,
      @Nullable Ledger ledger,
      int partition,
      @Nullable FailureLog failures,
      BatchTransaction.Safety inQueue) {
    this.settings = settings;
    this.result = result;
    this.ledger = ledger;
    this.transaction =
        new BatchTransaction(settings, dataSource, ledger, partition, failures, inQueue);
  }

  @Override
  public void executeUpdate(String query, @Nullable Object... args) {
    PendingStatement statement = add(PendingStatement.Kind.UPDATE);
    say(statement, query, args);
    performAlone();
  }

  @Override
  public void executeQuery(String query, Class<?> resultType, @Nullable Object... args) {
    PendingStatement statement = add(PendingStatement.Kind.QUERY);
    say(statement, query, args);
    statement.resultType = resultType;
    performAlone();
  }

  @Override
  public void executeTogether(List<Call> calls) {
    PendingStatement statement = add(PendingStatement.Kind.TOGETHER);
    if (calls == null || calls.stream().anyMatch(JDBCComponent::isIncomplete)) {
      refuseIncomplete(statement);
    } else {
      settings.texts().say(statement, calls);
    }
    performAlone();
  }

  @Override
  public void deadLetter(
      int partition, long position, ByteBuffer message, UndecodableMessage reason) {
    PendingStatement statement = batch.add(PendingStatement.Kind.DEAD_LETTER);
    Message envelope = reason.envelope();
    byte[] payload = new byte[message.remaining()];
    message.duplicate().get(payload);
    statement.deadLetter =
        new DeadLetter(
            queueId,
            partition,
            position,
            settings.service(),
            envelope == null ? null : envelope.id(),
            reason.reason().name(),
            String.valueOf(reason.getMessage()),
            payload,
            ReplayKey.of(envelope, new Place(settings.service(), partition, position, queueId))
                .id());
    statement.message = envelope;
    if (!recalled(statement, position)) {
      statement.outcome =
          envelope == null
              ? Outcome.UNANSWERED
              : new Outcome.Failed(
                  new SqlFailure(
                      "HY000", 0, SqlFailure.Kind.UNDECODABLE, String.valueOf(reason.getMessage())),
                  false);
    }
  }

  @Override
  public void beginBatch(int partition, long from) {
    inBatch = true;
    start();
  }

  @Override
  public void endBatch(long to) {
    if (performed) {
      return;
    }
    for (int i = 0; i < batch.size(); i++) {
      PendingStatement statement = batch.get(i);
      if (statement.outcome == Outcome.ASK_AGAIN && !statement.answered) {
        statement.outcome = transaction.askAgain(statement);
      }
    }
    if (ledger == null || to > transaction.next()) {
      transaction.perform(batch, to);
    }
    performed = true;
  }

  @Override
  public void answerBatch() {
    for (; answers < batch.size(); answers++) {
      PendingStatement statement = batch.get(answers);
      Outcome outcome = Objects.requireNonNull(statement.outcome);
      if (!statement.answered && (settings.results() == Results.ALL || !outcome.isUpdateDone())) {
        if (statement.message != null) {
          statement.message.makeCurrent();
        }
        outcome.answer(result);
        CrashPoint.hit("between-answers");
      }
    }
    batch.clear();
    inBatch = false;
  }

  @Override
  public Progress resume(Start start) {
    Ledger own = Objects.requireNonNull(ledger);
    queueId = start.queueIdentity();
    batch.clear();
    // what the in-queue no longer has, or has as passed, was answered safely
    long gone = Math.max(start.first(), start.passed()) - 1;
    long lastAnswered = Math.max(start.lastAnswered().orElse(-1), gone);
    Progress progress =
        transaction.inTransaction(session -> {
          Ledger.Progress row = own.claim(session, queueId, start.first());
          return row.queueId().equals(queueId)
              ? resume(own, session, row, start, Math.max(lastAnswered, row.answered() - 1))
              : adopt(own, session, row, start, lastAnswered + 1);
        });
    CrashPoint.hit("after-claim");
    return progress;
  }

  private Progress resume(
      Ledger own, DatabaseSession session, Ledger.Progress row, Start start, long lastAnswered)
      throws SQLException {
    if (start.lastAnswered().isEmpty() && row.next() > 0) {
      tellOfMissingResults(start.partition(), row.next());
    }
    Recall kept = new Recall(own.keptBehind(session, lastAnswered), lastAnswered);
    recall = kept;
    transaction.startAt(row.next(), Math.min(lastAnswered + 1, row.next()));
    return new Progress(kept.readFrom(start.first(), row.next()), row.next(), row.last());
  }

  private Progress adopt(
      Ledger own, DatabaseSession session, Ledger.Progress row, Start start, long next)
      throws SQLException {
    mustBeAdoptable(row, start.partition());
    nothingMustBeLeft(own.undrainedFrom(session, start.partitions()), start);
    own.adopt(session, queueId, next);
    recall = new Recall(new ArrayDeque<>(), next - 1);
    transaction.startAt(next, next);
    return new Progress(next, next);
  }

  private void tellOfMissingResults(int partition, long next) {
    if (settings.results() == Results.ALL) {
      log.warn(
          "partition {} of service {} has performed statements (up to {}), but its out-queue holds no"
              + " result: the out-queue is new or was emptied; results that were there are gone, those that"
              + " were not given yet are given",
          partition,
          settings.service(),
          next);
    }
  }

  /** Another queue may only follow one of which nothing is left to perform. */
  private void mustBeAdoptable(Ledger.Progress row, int partition) {
    if (!row.drained() && !row.queueId().startsWith("memory:")) {
      throw new Disagreement(
          ("partition %d of service %s has performed queue %s up to %,d and has not drained it, but"
                  + " was started with queue %s; start it with the former queue and drain it; if that is"
                  + " gone for good, see docs/operations.md, \"A queue is gone\"")
              .formatted(partition, settings.service(), row.queueId(), row.next(), queueId));
    }
  }

  /** Where the former queue had more partitions, nobody else would look at the others. */
  private void nothingMustBeLeft(OptionalInt undrained, Start start) {
    if (undrained.isPresent()) {
      throw new Disagreement(
          ("service %s has not drained partition %d of its former queue, and queue %s has %d"
                  + " partitions only; start it with the former queue and drain that; if it is gone for"
                  + " good, see docs/operations.md, \"A queue is gone\"")
              .formatted(settings.service(), undrained.getAsInt(), queueId, start.partitions()));
    }
  }

  @Override
  public void endsWith(LastPerformed last) {
    transaction.endsWith(last);
  }

  @Override
  public void answered(long position) {
    transaction.answered(position);
  }

  @Override
  public void idle() {
    transaction.keepAnswered();
  }

  @Override
  public void drained() {
    Ledger own = Objects.requireNonNull(ledger);
    transaction.inTransaction(session -> {
      own.drained(session);
      own.prune(session, transaction.next());
      return Optional.empty();
    });
  }

  @Override
  public void close() {
    transaction.close();
  }

  private PendingStatement add(PendingStatement.Kind kind) {
    if (!inBatch) {
      start();
    }
    PendingStatement statement = batch.add(kind);
    Message message = Message.currentOrNull();
    if (message != null) {
      statement.message = message;
      String key = message.key();
      if (!recalled(statement, message.position()) && key != null) {
        takeKey(statement, message.client(), key);
      }
    }
    return statement;
  }

  /** A message that was not written by us may hold a key that we would not take. */
  private static void takeKey(PendingStatement statement, @Nullable String client, String key) {
    try {
      statement.keyedId = Message.keyedId(client == null ? "" : client, key);
      statement.requestHash = Message.currentCallsHash();
    } catch (IllegalArgumentException e) {
      statement.refusal = incomplete(String.valueOf(e.getMessage()));
    }
  }

  /** A message may hold null where the protocol has none. */
  @SuppressWarnings("ConstantValue")
  private void say(PendingStatement statement, String text, @Nullable Object[] args) {
    if (text == null || args == null) {
      refuseIncomplete(statement);
    } else {
      settings.texts().say(statement, text, args);
    }
  }

  @SuppressWarnings("ConstantValue")
  private static boolean isIncomplete(Call call) {
    return call == null || call.sql() == null || call.args() == null;
  }

  private static void refuseIncomplete(PendingStatement statement) {
    statement.refusal = incomplete("the text, the list of arguments or one of the calls is null");
  }

  private static SqlFailure incomplete(String reason) {
    return new SqlFailure("07001", 0, SqlFailure.Kind.STATEMENT, reason);
  }

  private boolean recalled(PendingStatement statement, long position) {
    if (recall == null || position >= transaction.next()) {
      return false;
    }
    recall.apply(statement, position);
    return true;
  }

  private void start() {
    batch.clear();
    performed = false;
    answers = 0;
  }

  /**
   * @throws Unavailable if there is no batch, and the database is not there
   */
  private void performAlone() {
    if (!inBatch) {
      endBatch(0);
      answerBatch();
    }
  }
}
