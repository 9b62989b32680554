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
import java.util.List;
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
    assertThat(StatementShares.between(before, now))
        .containsExactly(
            new Share(Part.STATEMENT, "orders.place", 0.5, 40L, Duration.ofMillis(500)),
            new Share(Part.TRANSACTION, null, 0.25, null, null),
            new Share(Part.SQL_TEXT, null, 0.2, 8L, Duration.ofSeconds(1)),
            new Share(Part.STATEMENT, "orders.find", 0.05, 200L, Duration.ofMillis(10)));
  }

  @Test
  void whatWasNotPerformedHasNoShare() {
    Counters idle = counters(100, statement("orders.place", 50, 60));
    assertThat(StatementShares.between(idle, idle)).isEmpty();
    assertThat(StatementShares.between(Counters.NONE, Counters.NONE)).isEmpty();
  }

  @Test
  void sharesAreAtMostAllOfTheTimeWhileATransactionRuns() {
    assertThat(StatementShares.between(Counters.NONE, counters(1, statement("a", 3, 4))))
        .containsExactly(new Share(Part.STATEMENT, "a", 1, 3L, Duration.ofNanos(4 * SECOND / 3)));
  }

  @Test
  void coversTheLastFiveMinutes() {
    assertThat(shares.slowest().shares()).isEmpty();
    for (int second = 0; second <= 600; second += 10) {
      boolean lately = second > 300;
      shares.add(
          START.plusSeconds(second),
          counters(
              second,
              statement("early", Math.min(second, 300), Math.min(second, 300)),
              statement("late", lately ? 1 : 0, lately ? second - 300 : 0)));
    }
    assertThat(shares.slowest().over()).isEqualTo(Duration.ofMinutes(5));
    assertThat(shares.slowest().shares()).extracting(Share::statement).containsExactly("late");
  }

  @Test
  void forgetsTheSamplesAfterATimeToWhichTheClockWasSetBack() {
    shares.add(START, counters(0));
    shares.add(START.plusSeconds(100), counters(10, statement("a", 1, 10)));
    shares.add(START.plusSeconds(50), counters(20, statement("a", 2, 20)));
    assertThat(shares.slowest().over()).isEqualTo(Duration.ofSeconds(50));
  }
}
