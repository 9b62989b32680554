/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.Message;
import io.forebay.call.Output;
import io.forebay.call.Protocol;
import io.forebay.jdbc.FailedObject;
import io.forebay.jdbc.JDBCResult;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The outcomes of the statements of one message, and the answer that carries all of them. */
class AnswerRoomTest {

  private final MemoryBackend backend = MemoryBackend.open();
  private final MessageQueue queue = backend.open("results", 1);
  private final Output<JDBCResult> output = Protocol.of(JDBCResult.class).output(queue, 0);
  private long position;

  @AfterEach
  void close() {
    output.close();
    backend.close();
  }

  /** The bytes of the answer to a message. */
  private long answer(Message message, List<Outcome> outcomes) {
    message.makeCurrent();
    outcomes.forEach(outcome -> outcome.answer(output.calls()));
    output.publish();
    Message.clear();
    long[] bytes = new long[1];
    try (Tailer tailer = queue.tailer(0)) {
      tailer.toStart();
      while (tailer.poll(100, (_, answer) -> bytes[0] = answer.remaining()) > 0) {
        // up to the last one
      }
    }
    return bytes[0];
  }

  private Message message() {
    return Message.of(0, position++, new UUID(1, position), Instant.EPOCH);
  }

  private static PendingStatement statement(Message message) {
    return new PendingStatement(
        new Request.Single("select 1", new Object[0], Row.class), message, null, false);
  }

  /** Answers a message with so many statements that have these outcomes, if they have room. */
  private List<Outcome> answered(int statements, IntFunction<Outcome> outcome) {
    Message message = message();
    Batch batch = new Batch();
    for (int i = 0; i < statements; i++) {
      batch.add(statement(message));
    }
    for (int i = 0; i < statements; i++) {
      batch.get(i).answer(outcome.apply(i));
    }
    List<Outcome> outcomes =
        IntStream.range(0, statements).mapToObj(i -> batch.get(i).outcome()).toList();
    assertThat(answer(message, outcomes)).isBetween(1L, 1L << 20);
    return outcomes;
  }

  private static Outcome result(int length) {
    Rows rows = new Rows(List.of("c"), List.of(List.of("x".repeat(length))));
    return new Outcome.Result(OutcomeCodec.encodeRows(rows));
  }

  private static Outcome failure(int length) {
    String text = "\ud83d\ude00".repeat(length / 2);
    return new Outcome.Failed(
        new SqlFailure("23505", Integer.MIN_VALUE, SqlFailure.Kind.LINE_MISSING, text)
            .on(new FailedObject(text, text, text)),
        true);
  }

  @Test
  void noOutcomeTakesMoreThanItIsCounted() {
    Outcome most = new Outcome.Counts(new long[] {Long.MAX_VALUE, Long.MIN_VALUE, 0});
    for (Outcome outcome :
        List.of(
            Outcome.Count.of(Long.MIN_VALUE),
            most,
            result(0),
            result(900_000),
            failure(0),
            failure(200),
            new Outcome.Failed(SqlFailure.unsupported("x"), false))) {
      long envelope = answer(message(), List.of(Outcome.Count.of(0))) - "updateResult".length() - 3;
      assertThat(answer(message(), List.of(outcome)) - envelope)
          .as("%s", outcome.getClass())
          .isBetween(1L, outcome.answerBytes());
    }
  }

  @Test
  void aStatementHasTheRoomThatTheOthersLeave() {
    Message message = message();
    Batch batch = new Batch();
    batch.add(statement(message));
    batch.add(statement(message));
    batch.get(0).answer(result(450_000));
    assertThat(batch.get(0).answerRoom()).isEqualTo(AnswerRoom.BYTES - AnswerRoom.LEAST);
    assertThat(batch.get(1).answerRoom())
        .isEqualTo(AnswerRoom.BYTES - batch.get(0).outcome().answerBytes());
  }

  @Test
  void resultsBeyondTheRoomFailAndLaterOnesMayFit() {
    List<Outcome> outcomes = answered(4, i -> result(i == 3 ? 10_000 : 450_000));
    assertThat(outcomes.subList(0, 2)).hasOnlyElementsOfType(Outcome.Result.class);
    assertThat(((Outcome.Failed) outcomes.get(2)).failure().kind())
        .isEqualTo(SqlFailure.Kind.LIMIT);
    assertThat(outcomes.get(3)).isInstanceOf(Outcome.Result.class);
  }

  @Test
  void anOutcomeThatIsDiscardedFreesItsRoom() {
    Message message = message();
    Batch batch = new Batch();
    batch.add(statement(message));
    batch.add(statement(message));
    long room = batch.get(1).answerRoom();
    batch.get(0).answer(result(900_000));
    assertThat(batch.get(1).answerRoom()).isLessThan(room - 800_000);
    batch.undo();
    assertThat(batch.get(1).answerRoom()).isEqualTo(room);
  }

  @Test
  void asManyStatementsAsAMessageMayHaveHaveRoomForTheirFailures() {
    for (int length : new int[] {0, 40, 500}) {
      List<Outcome> outcomes = answered(AnswerRoom.MAX_STATEMENTS, _ -> failure(length));
      assertThat(outcomes)
          .allSatisfy(outcome ->
              assertThat(((Outcome.Failed) outcome).failure().kind())
                  .isEqualTo(SqlFailure.Kind.LINE_MISSING));
    }
    answered(AnswerRoom.MAX_STATEMENTS, i -> i == 0 ? result(1_000_000) : failure(200));
    answered(AnswerRoom.MAX_STATEMENTS, _ -> new Outcome.Counts(new long[1_000]));
  }

  @Test
  void aMessageWithMoreStatementsIsRefusedAsAWhole() {
    Message message = message();
    Batch batch = new Batch();
    PendingStatement before = statement(message());
    batch.add(before);
    for (int i = 0; i <= AnswerRoom.MAX_STATEMENTS + 1; i++) {
      batch.add(statement(message));
    }
    PendingStatement after = statement(message());
    batch.add(after);
    assertThat(batch.size()).isEqualTo(3);
    assertThat(batch.get(0)).isSameAs(before);
    assertThat(batch.get(1).request())
        .isEqualTo(new Request.Refused(true, AnswerRoom.TOO_MANY_STATEMENTS, ""));
    assertThat(batch.get(2)).isSameAs(after);
  }
}
