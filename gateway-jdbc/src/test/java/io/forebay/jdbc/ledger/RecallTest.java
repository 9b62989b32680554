/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.INTEGER;

import io.forebay.call.Message;
import io.forebay.jdbc.FailedObject;
import io.forebay.jdbc.Row;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.OutcomeCodec;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.PerformAgain;
import io.forebay.jdbc.statement.Request;
import io.forebay.service.progress.Disagreement;
import io.forebay.service.progress.Unavailable;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Outcomes as they are kept, and given back after a restart. */
class RecallTest {

  private static final Request QUERY = new Request.Single("select 1", new Object[0], Row.class);

  private final TreeMap<Long, Ledger.KeptBatch> stored = new TreeMap<>();

  private static byte[] kept(Outcome... outcomes) {
    Batch batch = new Batch();
    for (Outcome outcome : outcomes) {
      add(batch, batch.size(), outcome);
    }
    return OutcomeCodec.encode(batch, 0);
  }

  private static void add(Batch batch, long position, Outcome outcome) {
    Message message = Message.of(0, position, new UUID(1, position), Instant.EPOCH);
    PendingStatement statement = new PendingStatement(QUERY, message, null, false);
    statement.answer(outcome);
    batch.add(statement);
  }

  /** Stores a batch of updates; the outcome of each is the position of its message. */
  private void store(long from, long to, long... positions) {
    Batch batch = new Batch();
    for (long position : positions) {
      add(batch, position, count(position));
    }
    stored.put(
        to, new Ledger.KeptBatch(from, to, OutcomeCodec.encode(batch, from), batch.checksum()));
  }

  /** The first batch that ends behind a position. */
  private Ledger.KeptBatch kept(long position) {
    return Optional.ofNullable(stored.higherEntry(position)).map(Map.Entry::getValue).orElse(null);
  }

  /** Gives the statements of these positions their outcomes. */
  private List<String> recalled(Recall recall, long... positions) {
    List<String> recalled = new ArrayList<>();
    for (long position : positions) {
      PendingStatement statement = statement(position, new UUID(1, position));
      recall.apply(statement, this::kept);
      recalled.add(((Outcome.Count) statement.outcome()).count() + " " + statement.isAnswered());
    }
    return recalled;
  }

  /** The outcome of each message of a batch from position 0 on. */
  private static List<Outcome> decoded(byte[] bytes) {
    List<Outcome> decoded = new ArrayList<>();
    for (OutcomeCodec.Run run : OutcomeCodec.decode(bytes, 0)) {
      assertThat(run.first()).isEqualTo(decoded.size());
      for (long i = 0; i < run.messages(); i++) {
        decoded.addAll(run.outcomes());
      }
    }
    return decoded;
  }

  private static Rows rows(int textLength) {
    return new Rows(List.of("t"), List.of(List.of("x".repeat(textLength))));
  }

  private static Outcome.Result result(int textLength) {
    return new Outcome.Result(OutcomeCodec.encodeRows(rows(textLength)));
  }

  @Test
  void aThousandEqualOutcomesTakeSomeTenBytes() {
    Outcome[] ones = new Outcome[1_000];
    java.util.Arrays.fill(ones, Outcome.Count.of(1));
    byte[] bytes = kept(ones);
    assertThat(bytes).hasSizeLessThan(10);
    assertThat(decoded(bytes)).hasSize(1_000).containsOnly(Outcome.Count.of(1));
  }

  @Test
  void everyKindOfOutcomeComesBackAsItWas() {
    Outcome failed =
        new Outcome.Failed(
            new SqlFailure("23505", 7, SqlFailure.Kind.CONSTRAINT, "duplicate"), false);
    List<Outcome> decoded =
        decoded(
            kept(
                Outcome.Count.of(1),
                Outcome.Count.of(1),
                Outcome.Count.of(70_000),
                failed,
                Outcome.UNANSWERED,
                result(5)));
    assertThat(decoded.subList(0, 5))
        .containsExactly(
            Outcome.Count.of(1),
            Outcome.Count.of(1),
            Outcome.Count.of(70_000),
            failed,
            Outcome.UNANSWERED);
    assertThat(((Outcome.Result) decoded.get(5)).rows()).isEqualTo(rows(5));
  }

  @Test
  void theNamesOfAFailureComeBackAsTheyWere() {
    SqlFailure failure = new SqlFailure("23505", 7, SqlFailure.Kind.CONSTRAINT, "duplicate");
    Outcome named =
        new Outcome.Failed(failure.on(new FailedObject("orders_pkey", "orders", null)), true);
    Outcome other = new Outcome.Failed(failure.on(new FailedObject(null, "orders", "id")), true);
    assertThat(decoded(kept(named, named, other))).containsExactly(named, named, other);
  }

  @Test
  void messagesWithEqualStatementsAreOneRun() {
    Batch batch = new Batch();
    for (long position = 0; position < 1_000; position++) {
      add(batch, position, count(1));
      add(batch, position, count(2));
    }
    byte[] bytes = OutcomeCodec.encode(batch, 0);
    assertThat(bytes).hasSizeLessThan(10);
    assertThat(OutcomeCodec.decode(bytes, 0))
        .containsExactly(new OutcomeCodec.Run(0, 1_000, List.of(count(1), count(2))));
  }

  @Test
  void aTransactionOfSeveralMessagesKeepsALimitedNumberOfBytes() {
    Batch batch = new Batch();
    for (int i = 0; i < 3; i++) {
      add(batch, i, result(450_000));
    }
    assertThatThrownBy(() -> OutcomeCodec.encode(batch, 0)).isInstanceOf(PerformAgain.class);
    assertThat(alone(batch)).containsExactly(2);
    Batch failures = new Batch();
    for (int i = 0; i < 5_000; i++) {
      String message = i + "\u540d".repeat(490);
      add(
          failures,
          i,
          new Outcome.Failed(new SqlFailure("22000", 0, SqlFailure.Kind.DATA, message), false));
    }
    assertThatThrownBy(() -> OutcomeCodec.encode(failures, 0)).isInstanceOf(PerformAgain.class);
    assertThat(alone(failures)).singleElement(INTEGER).isBetween(600, 800);
  }

  /** The statements that get a transaction of their own. */
  private static List<Integer> alone(Batch batch) {
    return IntStream.range(0, batch.size()).filter(i -> batch.get(i).isAlone()).boxed().toList();
  }

  @Test
  void givesEachStatementItsOutcomeAndTellsWhichWereAnswered() {
    store(10, 13, 10, 11, 12);
    store(13, 20, 13, 19, 19); // a gap, and a message with two statements
    Recall recall = new Recall(11);
    assertThat(recalled(recall, 10, 11, 12, 13, 19, 19))
        .containsExactly("10 true", "11 true", "12 false", "13 false", "19 false", "19 false");
  }

  @Test
  void givesNoOutcomeToAnotherMessage() {
    for (UUID id : List.of(new UUID(1, 10), new UUID(1, 3))) {
      store(10, 11, 10);
      Recall recall = new Recall(-1);
      if (id.equals(new UUID(1, 10))) {
        recall.apply(statement(10, id), this::kept);
      } else {
        assertThatThrownBy(() -> recall.apply(statement(10, id), this::kept))
            .isInstanceOf(Disagreement.class)
            .hasMessageContaining("from 10 to 11 differ from those");
      }
    }
  }

  /** An operator set damaged messages aside that were performed and not answered. */
  @Test
  void givesEachStatementItsOwnOutcomeWhenOthersOfItsBatchAreMissing() {
    long[] performed = {10, 11, 11, 12, 14, 15, 15, 15, 16};
    store(10, 17, performed);
    store(17, 18, 17);
    store(18, 19, 18);
    Recall recall = new Recall(-1);
    assertThat(recalled(recall, 10, 12, 15, 15, 15, 18))
        .containsExactly("10 false", "12 false", "15 false", "15 false", "15 false", "18 false");
  }

  @Test
  void givesNoOutcomeToAMessageThatWasNotPerformed() {
    store(10, 14, 10, 13);
    Recall recall = new Recall(-1);
    assertThat(recalled(recall, 10)).containsExactly("10 false");
    assertThatThrownBy(() -> recalled(recall, 12))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("position 12");
  }

  private static PendingStatement statement(long position, UUID id) {
    return new PendingStatement(QUERY, Message.of(0, position, id, Instant.EPOCH), null, true);
  }

  @Test
  void passesOverTheOutcomesOfMessagesThatTheQueueNoLongerHas() {
    store(10, 13, 10, 11, 12);
    Recall recall = new Recall(10);
    assertThat(recalled(recall, 12)).containsExactly("12 false");
  }

  @Test
  void readsTheOutcomesOfOneBatchAtATime() {
    store(10, 12, 10, 11);
    store(12, 14, 12, 13);
    Recall recall = new Recall(-1);
    List<Long> read = new ArrayList<>();
    List<String> begins = new ArrayList<>();
    for (long position = 10; position < 14; position++) {
      PendingStatement statement = statement(position, new UUID(1, position));
      boolean first = recall.beginsBatch(position);
      recall.apply(
          statement,
          from -> {
            read.add(from);
            return kept(from);
          });
      begins.add(first + " " + read);
    }
    assertThat(begins)
        .containsExactly("true [10]", "false [10]", "true [10, 12]", "false [10, 12]");
  }

  @Test
  void givesTheSameOutcomeIfItCouldNotBeReadAtFirst() {
    store(10, 12, 10, 11);
    Recall recall = new Recall(-1);
    assertThatThrownBy(() ->
            recall.apply(
                statement(10, new UUID(1, 10)),
                _ -> {
                  throw new Unavailable("for a test", null);
                }))
        .isInstanceOf(Unavailable.class);
    assertThat(recalled(recall, 10, 11)).containsExactly("10 false", "11 false");
  }

  @Test
  void reportsAMissingOutcome() {
    Recall recall = new Recall(-1);
    assertThatThrownBy(() -> recall.apply(statement(4, new UUID(1, 4)), this::kept))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("position 4", "forebay.outcome");
  }

  private static Outcome count(long count) {
    return Outcome.Count.of(count);
  }
}
