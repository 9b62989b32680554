/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.gateway;

import io.forebay.call.Message;
import io.forebay.call.UndecodableMessage;
import io.forebay.jdbc.Call;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.batch.BatchTransaction;
import io.forebay.jdbc.ledger.FailureLog;
import io.forebay.jdbc.ledger.Ledger;
import io.forebay.jdbc.ledger.Recall;
import io.forebay.jdbc.ledger.ReplayKey;
import io.forebay.jdbc.ledger.Resumption;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.DeadLetter;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.jdbc.statement.GeneratedKey;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.RequestHash;
import io.forebay.jdbc.statement.StreamLine;
import io.forebay.machine.CrashPoint;
import io.forebay.operations.failures.Place;
import io.forebay.service.BatchAware;
import io.forebay.service.errors.DeadLetterSink;
import io.forebay.service.progress.Resumable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Performs statements on a database and answers each with its result.
 *
 * <p>It needs no transport. Standalone, it performs and answers each call before the call returns,
 * in a separate transaction. As the component of a {@link JDBCService}, it performs each batch in
 * one transaction and keeps its progress in the ledger of the same database; so every statement
 * takes effect exactly once. A statement that fails is answered with its failure and does not
 * affect the other statements of the batch.
 *
 * <p>For one thread.
 */
public final class JDBCComponent
    implements JDBCStatement, BatchAware, Resumable, DeadLetterSink, AutoCloseable {

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
  private Runnable endRun = () -> {};

  /** A component without transport and without ledger. It connects at the first call. */
  public JDBCComponent(DataSource dataSource, JDBCResult result) {
    this(GatewaySettings.standalone(), dataSource, result, null, 0, null, _ -> {});
  }

  /**
   * The component of one partition of a service.
   *
   * @param ledger null without a service; the partition is then 0, and no failures are kept
   */
  JDBCComponent(
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
    statement.resultType = resultType;
    say(statement, query, args);
    performAlone();
  }

  @Override
  public void executeTogether(List<Call> calls) {
    PendingStatement statement = add(PendingStatement.Kind.TOGETHER);
    if (calls == null || calls.stream().anyMatch(JDBCComponent::isIncomplete)) {
      refuseIncomplete(statement);
    } else {
      try {
        settings.texts().say(statement, calls);
        if (statement.keyedId != null) {
          hashRequest(statement, calls);
        }
      } catch (RuntimeException e) {
        refuse(statement, e);
      }
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
      if (envelope != null && envelope.key() != null) {
        takeKey(statement, envelope.client(), envelope.key());
        statement.keyedId = null; // its key stays free for the replay
        statement.refusal = null;
      }
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
  public boolean answersInRuns(Runnable end) {
    endRun = end;
    return settings.results().isInRuns();
  }

  @Override
  public void whenAvailable(Consumer<String> performing) {
    transaction.whenAvailable(performing);
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
    recall();
    if (ledger == null || to > transaction.next()) {
      transaction.perform(batch, to, this::answerBefore);
    }
    performed = true;
  }

  /** Gives the statements that were performed before a restart their outcomes, and answers them. */
  private void recall() {
    for (int i = answers; i < batch.size() && batch.get(i).recalled; i++) {
      if (batch.get(i).outcome == null
          && Objects.requireNonNull(recall).apply(batch.get(i), this::storedOutcomes)) {
        answerBefore(i + 1); // one batch after the other, so that memory has the results of one
      }
    }
  }

  private byte[] storedOutcomes(long to) {
    return transaction.inTransaction(
        session -> Objects.requireNonNull(ledger).outcomes(session, to));
  }

  @Override
  public void answerBatch() {
    answerBefore(batch.size());
    batch.clear();
    inBatch = false;
  }

  /**
   * Answers early, so that results need not stay in memory while later statements are performed. No
   * run has results of two transactions, so that it is the same when they are recalled; only a
   * transaction of more than 250 messages may be recalled in several runs.
   */
  private void answerBefore(int end) {
    for (; answers < end; answers++) {
      PendingStatement statement = batch.get(answers);
      boolean first = answers == 0 || batch.get(answers - 1).position() != statement.position();
      if (first && statement.recalled && Objects.requireNonNull(recall).beginsBatch(statement)) {
        endRun.run();
      }
      Outcome outcome = Objects.requireNonNull(statement.outcome);
      if (outcome instanceof Outcome.Failed failed && statement.failedNow()) {
        settings.texts().failures().add(statement, failed.failure());
      }
      if (!statement.answered && (settings.results().keepsAll() || !outcome.isUpdateDone())) {
        if (statement.message != null) {
          statement.message.makeCurrent();
        }
        outcome.answer(result);
        CrashPoint.hit("between-answers");
      }
      if (outcome instanceof Outcome.Result) {
        statement.outcome = Outcome.UNANSWERED; // frees the rows
      }
    }
    endRun.run();
  }

  @Override
  public Progress resume(Start start) {
    Ledger own = Objects.requireNonNull(ledger);
    queueId = start.queueIdentity();
    batch.clear();
    Resumption resumption = new Resumption(settings, own, start);
    Resumption.Found found = transaction.inTransaction(resumption::find);
    recall = found.recall();
    transaction.startAt(found.progress().next(), found.answered(), found.attempts());
    CrashPoint.hit("after-claim");
    return found.progress();
  }

  @Override
  public void endsWith(LastPerformed last) {
    transaction.endsWith(last);
  }

  @Override
  public int atMost(int maxBatch) {
    return transaction.atMost(maxBatch);
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
    Message message = Message.currentOrNull();
    if (message == null) {
      return batch.add(kind);
    }
    PendingStatement statement = batch.add(kind, message);
    String key = message.key();
    if (!recalled(statement, message.position()) && key != null) {
      takeKey(statement, message.client(), key);
    }
    return statement;
  }

  /** A message of a foreign client may contain an invalid idempotency key. */
  private static void takeKey(PendingStatement statement, @Nullable String client, String key) {
    String sender = client == null ? "" : client;
    try {
      StreamLine line = StreamLine.of(key);
      if (line == null && !GeneratedKey.is(key)) {
        statement.keyedId = Message.keyedId(sender, key);
      } else {
        Message.checkKey(sender, key);
        statement.line = line;
      }
    } catch (IllegalArgumentException e) {
      statement.refusal = incomplete(String.valueOf(e.getMessage()));
    }
  }

  /** A message of a foreign client may contain null where the protocol forbids it. */
  @SuppressWarnings("ConstantValue")
  private void say(PendingStatement statement, String text, @Nullable Object[] args) {
    if (text == null || args == null) {
      refuseIncomplete(statement);
    } else {
      try {
        settings.texts().say(statement, text, args);
        if (statement.keyedId != null) {
          hashRequest(statement, List.of(new Call(text, Arrays.asList(args))));
        }
      } catch (RuntimeException e) {
        refuse(statement, e);
      }
    }
  }

  /** Nothing in a message stops its partition. */
  private static void refuse(PendingStatement statement, RuntimeException e) {
    statement.refusal =
        incomplete("reading it threw %s; it was not performed".formatted(e.getClass().getName()));
  }

  /** Hashes a statement with an idempotency key, to detect reuse of the key for another one. */
  private static void hashRequest(PendingStatement statement, List<Call> asReceived) {
    statement.asReceived = asReceived;
    statement.requestHash =
        statement.refusal == null ? RequestHash.of(statement) : RequestHash.asReceived(statement);
  }

  @SuppressWarnings("ConstantValue")
  private static boolean isIncomplete(Call call) {
    return call == null || call.sql() == null || call.args() == null;
  }

  private static void refuseIncomplete(PendingStatement statement) {
    statement.refusal = incomplete("the SQL text, the argument list or a call is null");
  }

  private static SqlFailure incomplete(String reason) {
    return new SqlFailure("07001", 0, SqlFailure.Kind.STATEMENT, reason);
  }

  private boolean recalled(PendingStatement statement, long position) {
    statement.recalled = recall != null && position < transaction.next();
    return statement.recalled;
  }

  private void start() {
    batch.clear();
    performed = false;
    answers = 0;
  }

  /**
   * @throws io.forebay.service.progress.Unavailable outside a batch, if the database is unavailable
   */
  private void performAlone() {
    if (!inBatch) {
      endBatch(0);
      answerBatch();
    }
  }
}
