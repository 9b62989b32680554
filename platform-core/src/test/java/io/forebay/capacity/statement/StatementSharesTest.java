/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.statement;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.capacity.statement.StatementShares.Counters;
import io.forebay.capacity.statement.StatementShares.Part;
import io.forebay.capacity.statement.StatementShares.Share;
import io.forebay.capacity.statement.StatementShares.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class StatementSharesTest {

  private static final Instant START = Instant.parse("2026-11-20T00:00:00Z");
  private static final long SECOND = 1_000_000_000;

  private final StatementShares shares = new StatementShares();

  private static Counters counters(long transactions, Statement... statements) {
    return new Counters(transactions * SECOND, List.of(statements));
  }

  private static Statement statement(String name, long count, long seconds) {
    return new Statement(name, count, seconds * SECOND);
  }

  @Test
  void theStatementThatTakesMostTimeIsFirstWithItsShareCountAndMean() {
    Counters before = counters(100, statement("orders.place", 50_000, 60), statement(null, 9, 30));
    Counters now =
        counters(
            140,
            statement("orders.find", 200, 2),
            statement("orders.place", 50_040, 80),
            statement(null, 17, 38));
    assertThat(
            StatementShares.between(
                before, now, new HashMap<>(Map.of("orders.place", Duration.ofMillis(8)))))
        .containsExactly(
            new Share(
                Part.STATEMENT,
                "orders.place",
                0.5,
                40L,
                Duration.ofMillis(500),
                Duration.ofMillis(8)),
            new Share(Part.TRANSACTION, null, 0.25, null, null, null),
            new Share(Part.SQL_TEXT, null, 0.2, 8L, Duration.ofSeconds(1), null),
            new Share(Part.STATEMENT, "orders.find", 0.05, 200L, Duration.ofMillis(10), null));
  }

  @Test
  void whatWasNotPerformedHasNoShare() {
    Counters idle = counters(100, statement("orders.place", 50, 60));
    assertThat(StatementShares.between(idle, idle, new HashMap<>())).isEmpty();
    assertThat(StatementShares.between(Counters.NONE, Counters.NONE, new HashMap<>())).isEmpty();
  }

  @Test
  void sharesAreAtMostAllOfTheTimeWhileATransactionRuns() {
    assertThat(
            StatementShares.between(
                Counters.NONE, counters(1, statement("a", 3, 4)), new HashMap<>()))
        .containsExactly(
            new Share(Part.STATEMENT, "a", 1, 3L, Duration.ofNanos(4 * SECOND / 3), null));
  }

  @Test
  void coversTheLastMinute() {
    assertThat(shares.slowest().shares()).isEmpty();
    for (int second = 0; second <= 600; second += 10) {
      boolean lately = second > 540;
      shares.add(
          START.plusSeconds(second),
          counters(
              second,
              statement("early", Math.min(second, 540), Math.min(second, 540)),
              statement("late", lately ? 1 : 0, lately ? second - 540 : 0)));
    }
    assertThat(shares.slowest().over()).isEqualTo(Duration.ofMinutes(1));
    assertThat(shares.slowest().shares()).extracting(Share::statement).containsExactly("late");
  }

  /** Half an hour of a slow database does not become usual, nor one slow step before. */
  @Test
  void whatAStatementUsuallyTakesIsTheMedianOfTheHourBefore() {
    long millis = 0;
    for (int second = 0; second <= 5400; second += 10) {
      boolean isSlow = second > 3600 + 1500 || (second > 3000 && second <= 3060);
      millis += 10 * (isSlow ? 60 : 8);
      shares.add(
          START.plusSeconds(second),
          new Counters(
              millis * 1_000_000,
              List.of(new Statement("orders.place", second, millis * 1_000_000))));
    }
    Share place = shares.slowest().shares().getFirst();
    assertThat(place.mean()).isEqualTo(Duration.ofMillis(60));
    assertThat(place.usual()).isEqualTo(Duration.ofMillis(8));
    assertThat(shares.kept()).as("samples of an hour").isLessThan(45);
  }

  @Test
  void whatWasNotPerformedBeforeHasNoUsualTime() {
    for (int second = 0; second <= 300; second += 10) {
      long count = Math.max(0, second - 240);
      shares.add(START.plusSeconds(second), counters(second, statement("new", count, count)));
    }
    assertThat(shares.slowest().shares().getFirst().usual()).isNull();
  }

  @Test
  void forgetsTheSamplesAfterATimeToWhichTheClockWasSetBack() {
    shares.add(START, counters(0));
    shares.add(START.plusSeconds(100), counters(10, statement("a", 1, 10)));
    shares.add(START.plusSeconds(50), counters(20, statement("a", 2, 20)));
    assertThat(shares.slowest().over()).isEqualTo(Duration.ofSeconds(50));
  }
}
