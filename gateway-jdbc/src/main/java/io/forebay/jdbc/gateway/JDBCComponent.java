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
import io.forebay.jdbc.Row;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.batch.BatchTransaction;
import io.forebay.jdbc.ledger.Ledger;
import io.forebay.jdbc.ledger.Recall;
import io.forebay.jdbc.ledger.Resumption;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.GatewaySettings;
import io.forebay.jdbc.statement.GeneratedKey;
import io.forebay.jdbc.statement.IdempotencyKey;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.Request;
import io.forebay.jdbc.statement.StreamLine;
import io.forebay.machine.CrashPoint;
import io.forebay.service.BatchAware;
import io.forebay.service.progress.Resumable;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Performs statements on a database and answers each with its result.
 *
 * <p>It performs each batch in one transaction and keeps its progress in the ledger of the same
 * database; so every statement takes effect exactly once. A statement that fails is answered with
 * its failure and does not affect the other statements of the batch.
 *
 * <p>For one thread.
 */
final class JDBCComponent implements JDBCStatement, BatchAware, Resumable, AutoCloseable {

  private final JDBCResult result;
  private final GatewaySettings settings;
  private final Ledger ledger;
  private final BatchTransaction transaction;
  private final BatchSpans spans;
  private final Batch batch = new Batch();
  private @Nullable Recall recall;
  private boolean performed;
  private int answers;
  private Runnable endRun = () -> {};

  JDBCComponent(
      GatewaySettings settings,
      JDBCResult result,
      Ledger ledger,
      BatchTransaction transaction,
      BatchSpans spans) {
    this.settings = settings;
    this.result = result;
    this.ledger = ledger;
    this.transaction = transaction;
    this.spans = spans;
  }

  @Override
  public void executeUpdate(String query, @Nullable Object... args) {
    add(query, args, null);
  }

  @Override
  @SuppressWarnings("ConstantValue")
  public void executeQuery(String query, Class<?> resultType, @Nullable Object... args) {
    add(query, args, resultType == null ? Row.class : resultType);
  }

  @Override
  public void executeTogether(List<Call> calls) {
    add(false, () -> settings.texts().request(calls), () -> calls);
  }

  private void add(String text, @Nullable Object[] args, @Nullable Class<?> type) {
    add(
        type != null,
        () -> settings.texts().request(text, Objects.requireNonNull(args), type),
        () -> List.of(new Call(text, Arrays.asList(args))));
  }

  /**
   * Adds a statement of the current message. A foreign client may send null where the protocol
   * forbids it, or an invalid key: the statement is then refused.
   */
  private void add(boolean query, Supplier<Request> read, Supplier<List<Call>> asReceived) {
    Message message = Message.current();
    boolean recalled = isRecalled(message.position());
    Request request = null;
    PendingStatement.Key key = null;
    RuntimeException unreadable = null;
    try {
      request = read.get();
    } catch (RuntimeException e) {
      unreadable = e;
    }
    try {
      if (message.key() != null && !recalled) {
        key = key(message, message.key(), request, asReceived);
      }
    } catch (RuntimeException e) {
      unreadable = e;
    }
    if (unreadable != null) {
      request = new Request.Refused(query, refusal(unreadable), "");
    }
    batch.add(new PendingStatement(Objects.requireNonNull(request), message, key, recalled));
  }

  /**
   * What makes the message take effect once.
   *
   * @throws IllegalArgumentException if the key is invalid, as that of a foreign client may be
   */
  private static PendingStatement.@Nullable Key key(
      Message message, String key, @Nullable Request request, Supplier<List<Call>> asReceived) {
    String sender = message.client() == null ? "" : message.client();
    StreamLine line = StreamLine.of(key);
    if (line == null && !GeneratedKey.is(key)) {
      UUID id = Message.keyedId(sender, key);
      return request == null ? null : IdempotencyKey.of(id, request, asReceived.get());
    }
    Message.checkKey(sender, key);
    return line;
  }

  /** Nothing in a message stops its partition. */
  private static SqlFailure refusal(RuntimeException unreadable) {
    return new SqlFailure(
        "07001",
        0,
        SqlFailure.Kind.STATEMENT,
        unreadable instanceof IllegalArgumentException
            ? String.valueOf(unreadable.getMessage())
            : "reading it threw %s; it was not performed"
                .formatted(unreadable.getClass().getName()));
  }

  @Override
  public void deadLetter(
      int partition, long position, ByteBuffer message, UndecodableMessage reason) {
    Message envelope = reason.envelope();
    Request request =
        new Request.Undecodable(
            position, reason.reason().name(), String.valueOf(reason.getMessage()));
    boolean recalled = isRecalled(position);
    // an idempotency key stays free for the replay
    StreamLine line = envelope == null || recalled ? null : line(envelope);
    batch.add(new PendingStatement(request, envelope, line, recalled));
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
    batch.clear();
    spans.begin();
    performed = false;
    answers = 0;
  }

  @Override
  public void endBatch(long to) {
    if (performed) {
      return;
    }
    spans.tries();
    try {
      recall();
      if (to > transaction.next()) {
        transaction.perform(batch, to, this::answerBefore);
      }
    } catch (RuntimeException e) {
      spans.failed(batch, e);
      throw e;
    }
    performed = true;
    spans.performed(batch);
  }

  /**
   * Gives the statements that were performed before a restart their outcomes, and answers them: one
   * transaction after the other, so that memory has the results of one.
   */
  private void recall() {
    int end = answers;
    for (; end < batch.size() && batch.get(end).isRecalled(); end++) {
      PendingStatement statement = batch.get(end);
      if (statement.outcome() == null) {
        Recall kept = Objects.requireNonNull(recall);
        if (kept.beginsBatch(statement.position())) {
          answerBefore(end);
        }
        kept.apply(statement, this::keptBatch);
      }
    }
    answerBefore(end);
  }

  private Ledger.@Nullable KeptBatch keptBatch(long position) {
    return transaction.inTransaction(session -> ledger.kept(session, position));
  }

  @Override
  public void answerBatch() {
    answerBefore(batch.size());
    batch.clear();
  }

  /**
   * Answers early, so that results need not stay in memory while later statements are performed. No
   * run has results of two transactions, so that it is the same when they are recalled; only a
   * transaction of more than 250 messages may be recalled in several runs.
   */
  private void answerBefore(int end) {
    for (; answers < end; answers++) {
      PendingStatement statement = batch.get(answers);
      Outcome outcome = Objects.requireNonNull(statement.outcome());
      if (!statement.isAnswered() && (settings.results().keepsAll() || !outcome.isUpdateDone())) {
        if (statement.message() != null) {
          statement.message().makeCurrent();
        }
        outcome.answer(result);
        CrashPoint.hit("between-answers");
      }
      if (outcome instanceof Outcome.Failed failed && statement.failedNow()) {
        settings.failed().increment();
        Message message = statement.message();
        settings
            .texts()
            .failures()
            .add(statement.request(), failed, message == null ? null : message.trace());
      }
      if (outcome instanceof Outcome.Result) {
        statement.release();
      }
    }
    endRun.run();
  }

  @Override
  public Progress resume(Start start) {
    batch.clear();
    Resumption resumption = new Resumption(settings, ledger, start);
    Resumption.Claim found = transaction.inTransaction(resumption::find);
    recall = found.recall();
    transaction.startAt(found.progress().next(), found.answered(), found.attempts());
    CrashPoint.hit("after-claim");
    return found.progress();
  }

  @Override
  public void performs(long position, long checksum) {
    batch.performs(checksum);
    transaction.performs(position, checksum);
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
    transaction.inTransaction(session -> {
      ledger.drained(session);
      return true;
    });
  }

  @Override
  public void close() {
    transaction.close();
  }

  private static @Nullable StreamLine line(Message envelope) {
    try {
      String key = envelope.key();
      return key != null && key(envelope, key, null, List::of) instanceof StreamLine line
          ? line
          : null;
    } catch (IllegalArgumentException _) {
      return null;
    }
  }

  private boolean isRecalled(long position) {
    return position < transaction.next();
  }
}
