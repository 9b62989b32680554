/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ReadStartTest {

  private final ReadStart start = new ReadStart();

  private void read(long last, String... writers) {
    if (start.isBehind()) {
      start.openNow(Set.of(writers));
    }
    start.handedOver(last);
  }

  @Test
  void advancesToRowsThatWereReadWhileNobodyWrote() {
    read(10);
    assertThat(start.id()).isZero();
    read(20);
    assertThat(start.id()).isEqualTo(10);
    read(30);
    assertThat(start.id()).isEqualTo(20);
  }

  @Test
  void waitsForTheTransactionsThatWroteWhileTheIdWasVisible() {
    read(10);
    read(20, "3/1", "4/7");
    read(30, "4/7", "3/2");
    assertThat(start.id()).as("4/7 is open").isZero();
    read(40, "3/3", "5/1");
    assertThat(start.id()).as("new transactions take higher ids").isEqualTo(10);
  }

  @Test
  void waitsForPreparedTransactionsWhoseNameHasChanged() {
    read(10);
    read(20, "4/7");
    read(30, "-1/745");
    assertThat(start.id()).isZero();
    read(40);
    assertThat(start.id()).isEqualTo(10);
  }

  @Test
  void passesNoRowThatTheLastReadDidNotReach() {
    read(10);
    read(20);
    read(5); // a late row, and a limited read
    assertThat(start.id()).isEqualTo(10);
    start.openNow(Set.of());
    start.handedOver(12);
    assertThat(start.id()).isEqualTo(12);
  }

  @Test
  void followsToTheEndWhenNothingIsLeft() {
    read(10);
    assertThat(start.isBehind()).isTrue();
    start.openNow(Set.of());
    start.handedOverAll();
    assertThat(start.id()).isEqualTo(10);
    assertThat(start.isBehind()).isFalse();
  }

  /** Rows of transactions that begin, insert, prepare and end at any time beside the reads. */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void losesNoRowOfRandomTransactions(long seed) {
    for (int i = 0; i < 500; i++) {
      new History(new Random(seed * 1_000 + i)).run();
    }
  }

  private static final class History {

    private final Random random;
    private final ReadStart start = new ReadStart();
    private final List<Transaction> open = new ArrayList<>();
    private final TreeSet<Long> visible = new TreeSet<>();
    private final Set<Long> committed = new HashSet<>();
    private final Set<Long> handedOver = new HashSet<>();
    private long lastId;
    private int begun;
    private boolean over;

    private final class Transaction {
      String name = "3/" + begun++;
      final List<Long> rows = new ArrayList<>();

      void step() {
        switch (random.nextInt(5)) {
          case 0 -> name = "-1/" + name.substring(2);
          case 1 -> end(random.nextInt(4) > 0);
          default -> rows.add(++lastId);
        }
      }

      void end(boolean commits) {
        if (commits) {
          visible.addAll(rows);
          committed.addAll(rows);
        }
        open.remove(this);
      }
    }

    History(Random random) {
      this.random = random;
    }

    void run() {
      for (int turn = 0; turn < 30; turn++) {
        handOver(1 + random.nextInt(6));
      }
      over = true;
      List.copyOf(open).forEach(it -> it.end(true));
      handOver(Integer.MAX_VALUE);
      assertThat(handedOver).isEqualTo(committed);
    }

    private void others() {
      for (int steps = over ? 0 : random.nextInt(4); steps > 0; steps--) {
        if (open.isEmpty() || random.nextInt(4) == 0) {
          open.add(new Transaction());
        } else {
          open.get(random.nextInt(open.size())).step();
        }
      }
    }

    /** As the relay does. */
    private void handOver(int most) {
      others();
      if (start.isBehind()) {
        start.openNow(open.stream().map(it -> it.name).collect(Collectors.toSet()));
        others();
      }
      List<Long> rows = visible.tailSet(start.id(), false).stream().limit(most).toList();
      boolean all = rows.size() < most;
      others();
      rows.forEach(visible::remove);
      handedOver.addAll(rows);
      if (!rows.isEmpty()) {
        start.handedOver(rows.getLast());
      }
      if (all) {
        start.handedOverAll();
      }
    }
  }
}
