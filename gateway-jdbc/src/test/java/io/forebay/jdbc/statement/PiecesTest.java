/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.statement;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.call.Message;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** The sizes of transactions, for databases that take some time for each and for its statements. */
class PiecesTest {

  private final Pieces pieces = new Pieces(Duration.ofSeconds(30));

  /** Performs a backlog; returns the sizes of its transactions. */
  private List<Integer> backlog(int statements, double transaction, double statement) {
    List<Integer> sizes = new ArrayList<>();
    int left = statements;
    while (left > 0) {
      int size = Math.min(left, pieces.atMost(5000));
      transaction(size, transaction, statement, 0.001);
      sizes.add(size);
      left -= size;
    }
    return sizes;
  }

  private void transaction(int size, double seconds, double statement, double resultsFill) {
    Batch batch = new Batch();
    for (int i = 0; i < size; i++) {
      batch.add(
          new PendingStatement(new Request.Single("", new Object[0], null), null, null, false));
    }
    double ofStatements = 1e9 * size * statement;
    pieces.committed(
        batch,
        pieces.next(batch, size, false),
        (long) (1e9 * seconds + ofStatements),
        (long) ofStatements,
        (long) (resultsFill * Batch.KEPT_BYTES));
  }

  /** A batch of statements of messages at these positions. */
  private static Batch batch(long... positions) {
    Batch batch = new Batch();
    Message message = null;
    for (long position : positions) {
      if (message == null || message.position() != position) {
        message = Message.of(0, position, new UUID(1, position), Instant.EPOCH);
      }
      batch.add(
          new PendingStatement(new Request.Single("", new Object[0], null), message, null, false));
    }
    return batch;
  }

  /** How many statements each transaction has, and the position behind it. */
  private List<String> pieces(Batch batch, long to, boolean oneMessage) {
    List<String> found = new ArrayList<>();
    Pieces.Piece piece;
    do {
      piece = pieces.next(batch, to, oneMessage);
      found.add(piece.statements().size() + " to " + piece.to());
      pieces.committed(batch, piece, 1, 1, 0);
    } while (!piece.last());
    assertThat(batch.committed()).isEqualTo(batch.size());
    return found;
  }

  @Test
  void aMessageIsNotDivided() {
    assertThat(pieces(batch(3, 3, 3, 5, 6, 6), 9, true))
        .containsExactly("3 to 5", "1 to 6", "2 to 9");
    pieces.limitTo(2);
    assertThat(pieces(batch(3, 3, 3, 5, 6, 6), 9, false).getFirst()).isEqualTo("3 to 5");
  }

  @Test
  void whatWasPerformedBeforeARestartIsInNoTransaction() {
    Batch batch = new Batch();
    for (long position = 3; position < 5; position++) {
      Message message = Message.of(0, position, new UUID(1, position), Instant.EPOCH);
      Request request = new Request.Single("", new Object[0], null);
      batch.add(new PendingStatement(request, message, null, true));
    }
    assertThat(pieces(batch, 9, false)).containsExactly("0 to 9");
    batch.committed(0);
    batch.add(batch(5).get(0));
    assertThat(pieces(batch, 9, false)).containsExactly("1 to 9");
  }

  @Test
  void theLimitCountsFromTheFirstStatementOfATransaction() {
    Batch batch = batch(1, 2, 3, 4, 5);
    batch.committed(2);
    pieces.limitTo(2);
    assertThat(pieces.next(batch, 6, false).statements().size()).isEqualTo(2);
  }

  @Test
  void aMessageThatIsPerformedAloneHasATransactionOfItsOwn() {
    Batch batch = batch(3, 4, 5, 5, 6);
    assertThat(pieces(batch, 7, false)).containsExactly("5 to 7");
    Batch again = batch(3, 4, 5, 5, 6);
    again.alone(5);
    assertThat(pieces(again, 7, false)).containsExactly("2 to 5", "2 to 6", "1 to 7");
    Batch first = batch(3, 4);
    first.alone(3);
    assertThat(pieces(first, 7, false)).containsExactly("1 to 4", "1 to 7");
  }

  @Test
  void slowStatementsAreCommittedEveryHalfSecond() {
    assertThat(backlog(1000, 0.002, 0.05).subList(3, 80)).containsOnly(9);
  }

  @Test
  void fastOnesFillABatchAtOnce() {
    assertThat(backlog(50_000, 0.001, 0.00001).subList(3, 10)).containsOnly(5000);
  }

  /** By the time of a transaction of one statement, the next would have one statement as well. */
  @Test
  void aSlowCommitDoesNotMakeTransactionsSmall() {
    for (int i = 0; i < 100; i++) {
      transaction(1, 0.6, 0.0001, 0);
    }
    assertThat(backlog(10_000, 0.6, 0.0001)).hasSizeLessThan(4);
  }

  @Test
  void statementsGetHalfOfTheTimeAtLeast() {
    assertThat(backlog(1000, 2, 0.05).subList(3, 18)).containsOnly(40);
    assertThat(backlog(1000, 0.3, 0.05).subList(3, 20)).containsOnly(6);
  }

  @Test
  void aDatabaseThatBecomesSlowIsNoticedAtOnce() {
    backlog(2000, 0.002, 0.008);
    List<Integer> slow = backlog(200, 0.002, 0.06);
    assertThat(slow.subList(1, slow.size() - 1)).containsOnly(8);
    assertThat(backlog(2000, 0.002, 0.008).subList(2, 12)).containsOnly(62);
  }

  /** All together take at most a third of what one statement may. */
  @Test
  void veryLongStatementsAreCommittedSingly() {
    List<Integer> sizes = backlog(300, 0, 9);
    assertThat(sizes.subList(1, sizes.size())).containsOnly(1);
    sizes = backlog(300, 20, 5);
    assertThat(sizes.subList(2, sizes.size() - 1)).containsOnly(2);
  }

  @Test
  void resultsThatFillTheMemoryMakeThemSmall() {
    transaction(200, 0.001, 0.00001, 0.8);
    assertThat(pieces.atMost(5000)).isEqualTo(250);
  }
}
