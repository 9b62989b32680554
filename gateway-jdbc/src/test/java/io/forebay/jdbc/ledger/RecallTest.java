/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.ledger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.call.Message;
import io.forebay.call.value.Values;
import io.forebay.database.Dialect;
import io.forebay.jdbc.FailedObject;
import io.forebay.jdbc.Rows;
import io.forebay.jdbc.SqlFailure;
import io.forebay.jdbc.statement.Batch;
import io.forebay.jdbc.statement.Outcome;
import io.forebay.jdbc.statement.OutcomeCodec;
import io.forebay.jdbc.statement.PendingStatement;
import io.forebay.jdbc.statement.SqlRules;
import io.forebay.service.progress.Disagreement;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Outcomes as they are kept, and given back after a restart. */
class RecallTest {

  private static final SqlRules RULES = new SqlRules(Dialect.POSTGRESQL);
  private static final int INLINE = 1_000;

  private static byte[] kept(Outcome... outcomes) {
    Batch batch = new Batch();
    for (Outcome outcome : outcomes) {
      add(batch, batch.size(), outcome);
    }
    return OutcomeCodec.encode(batch, 0, batch.size(), INLINE, RULES);
  }

  private static PendingStatement add(Batch batch, long position, Outcome outcome) {
    PendingStatement statement = batch.add(PendingStatement.Kind.QUERY);
    statement.message = Message.of(0, position, new UUID(1, position), Instant.EPOCH);
    statement.sql = "select 1";
    statement.outcome = outcome;
    return statement;
  }

  /** A batch of updates; the outcome of each is the position of its message. */
  private static Ledger.StoredBatch stored(long from, long to, long... positions) {
    Batch batch = new Batch();
    for (long position : positions) {
      add(batch, position, count(position));
    }
    byte[] bytes = OutcomeCodec.encode(batch, from, to, INLINE, RULES);
    return new Ledger.StoredBatch(from, to, bytes, batch.checksum());
  }

  /** Gives the statements of these positions their outcomes. */
  private static List<String> recalled(Recall recall, long... positions) {
    List<String> recalled = new ArrayList<>();
    for (long position : positions) {
      PendingStatement statement = statement(position, new UUID(1, position));
      recall.apply(statement, position);
      recalled.add(((Outcome.Count) statement.outcome).count() + " " + statement.answered);
    }
    return recalled;
  }

  private static List<Outcome> decoded(int count, byte[] bytes) {
    return OutcomeCodec.decode(bytes, 0, count).outcomes();
  }

  private static Outcome.Result result(int textLength) {
    Rows rows = new Rows(List.of("t"), List.of(List.of("x".repeat(textLength))));
    return new Outcome.Result(rows, OutcomeCodec.encodeRows(rows));
  }

  @Test
  void aThousandEqualOutcomesTakeSomeTenBytes() {
    Outcome[] ones = new Outcome[1_000];
    java.util.Arrays.fill(ones, Outcome.Count.of(1));
    byte[] bytes = kept(ones);
    assertThat(bytes).hasSizeLessThan(12);
    assertThat(decoded(1_000, bytes)).hasSize(1_000).containsOnly(Outcome.Count.of(1));
  }

  @Test
  void everyKindOfOutcomeComesBackAsItWas() {
    Outcome failed =
        new Outcome.Failed(
            new SqlFailure("23505", 7, SqlFailure.Kind.CONSTRAINT, "duplicate"), false);
    List<Outcome> decoded =
        decoded(
            6,
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
    assertThat(((Outcome.Result) decoded.get(5)).rows()).isEqualTo(result(5).rows());
  }

  @Test
  void aFailureOfAnEarlierVersionHasNoNames() {
    SqlFailure failure = new SqlFailure("23505", 7, SqlFailure.Kind.CONSTRAINT, "duplicate");
    byte[] earlier =
        Values.encode(List.of(List.of(2L, 1L, false, "23505", 7L, "CONSTRAINT", "duplicate")));
    assertThat(decoded(1, earlier)).containsExactly(new Outcome.Failed(failure, false));
    assertThat(kept(new Outcome.Failed(failure, false))).isEqualTo(earlier);
  }

  @Test
  void theNamesOfAFailureComeBackAsTheyWere() {
    SqlFailure failure = new SqlFailure("23505", 7, SqlFailure.Kind.CONSTRAINT, "duplicate");
    Outcome named =
        new Outcome.Failed(failure.on(new FailedObject("orders_pkey", "orders", null)), true);
    Outcome other = new Outcome.Failed(failure.on(new FailedObject(null, "orders", "id")), true);
    assertThat(decoded(3, kept(named, named, other))).containsExactly(named, named, other);
  }

  @Test
  void aLargeResultOfAQueryThatOnlyReadsIsNotKeptButAskedAgain() {
    assertThat(decoded(1, kept(result(2 * INLINE)))).containsExactly(Outcome.ASK_AGAIN);
    Batch batch = new Batch();
    add(batch, 0, result(2 * INLINE)).sql = "insert into t values (1) returning t";
    assertThat(decoded(1, OutcomeCodec.encode(batch, 0, batch.size(), INLINE, RULES)))
        .singleElement()
        .isInstanceOf(Outcome.Result.class);
  }

  @Test
  void givesEachStatementItsOutcomeAndTellsWhichWereAnswered() {
    Deque<Ledger.StoredBatch> batches = new ArrayDeque<>();
    batches.add(stored(10, 13, 10, 11, 12));
    batches.add(stored(13, 20, 13, 19, 19)); // a gap, and a message with two statements
    Recall recall = new Recall(batches, 11);
    assertThat(recall.readFrom(0, 20)).isEqualTo(10);
    assertThat(recalled(recall, 10, 11, 12, 13, 19, 19))
        .containsExactly("10 true", "11 true", "12 false", "13 false", "19 false", "19 false");
  }

  @Test
  void givesNoOutcomeToAnotherMessage() {
    PendingStatement performed = statement(10, new UUID(1, 2));
    long checksum = performed.addTo(0);
    for (UUID id : List.of(new UUID(1, 2), new UUID(1, 3))) {
      Deque<Ledger.StoredBatch> batches = new ArrayDeque<>();
      batches.add(new Ledger.StoredBatch(10, 11, stored(10, 11, 10).outcomes(), checksum));
      Recall recall = new Recall(batches, -1);
      recall.readFrom(0, 11);
      if (id.equals(new UUID(1, 2))) {
        recall.apply(statement(10, id), 10);
      } else {
        assertThatThrownBy(() -> recall.apply(statement(10, id), 10))
            .isInstanceOf(Disagreement.class)
            .hasMessageContaining("from 10 to 11 differ from those");
      }
    }
  }

  /** An operator set damaged messages aside that were performed and not answered. */
  @Test
  void givesEachStatementItsOwnOutcomeWhenOthersOfItsBatchAreMissing() {
    long[] performed = {10, 11, 11, 12, 14, 15, 15, 15, 16};
    Deque<Ledger.StoredBatch> batches = new ArrayDeque<>();
    batches.add(stored(10, 17, performed));
    batches.add(stored(17, 18, 17));
    batches.add(stored(18, 19, 18));
    Recall recall = new Recall(batches, -1);
    assertThat(recall.readFrom(0, 19)).isEqualTo(10);
    assertThat(recalled(recall, 10, 12, 15, 15, 15, 18))
        .containsExactly("10 false", "12 false", "15 false", "15 false", "15 false", "18 false");
  }

  @Test
  void givesNoOutcomeToAMessageThatWasNotPerformed() {
    Deque<Ledger.StoredBatch> batches = new ArrayDeque<>();
    batches.add(stored(10, 14, 10, 13));
    Recall recall = new Recall(batches, -1);
    recall.readFrom(0, 14);
    assertThat(recalled(recall, 10)).containsExactly("10 false");
    assertThatThrownBy(() -> recalled(recall, 12))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("position 12");
  }

  private static PendingStatement statement(long position, UUID id) {
    PendingStatement statement = new PendingStatement();
    statement.message = Message.of(0, position, id, Instant.EPOCH);
    return statement;
  }

  @Test
  void passesOverTheOutcomesOfMessagesThatTheQueueNoLongerHas() {
    Deque<Ledger.StoredBatch> batches = new ArrayDeque<>();
    batches.add(stored(10, 13, 10, 11, 12));
    Recall recall = new Recall(batches, 10);
    assertThat(recall.readFrom(12, 13)).isEqualTo(12);
    assertThat(recalled(recall, 12)).containsExactly("12 false");
  }

  @Test
  void refusesOutcomesThatDoNotSayWhereTheyBelong() {
    Deque<Ledger.StoredBatch> batches = new ArrayDeque<>();
    batches.add(new Ledger.StoredBatch(10, 13, stored(10, 12, 10, 11).outcomes(), null));
    Recall recall = new Recall(batches, -1);
    assertThatThrownBy(() -> recalled(recall, 10)).hasMessageContaining("from 10 to 13");
  }

  @Test
  void manyResultsThatAreSmallAloneAreNotAllKept() {
    Batch batch = new Batch();
    for (int i = 0; i < 400; i++) {
      add(batch, i, result(15_000)).sql = "select " + i;
    }
    byte[] bytes = OutcomeCodec.encode(batch, 0, batch.size(), 16 << 10, RULES);
    assertThat(bytes).hasSizeLessThan(1_100_000);
    assertThat(decoded(400, bytes)).hasSize(400).contains(Outcome.ASK_AGAIN);
  }

  @Test
  void reportsAMissingOutcome() {
    Recall recall = new Recall(new ArrayDeque<>(), -1);
    assertThat(recall.readFrom(0, 5)).isEqualTo(5);
    assertThatThrownBy(() -> recall.apply(new PendingStatement(), 4))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("position 4", "forebay.outcome");
  }

  private static Outcome count(long count) {
    return Outcome.Count.of(count);
  }
}
