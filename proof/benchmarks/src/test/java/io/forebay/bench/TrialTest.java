/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.bench.Contender.Performing;
import io.forebay.bench.TargetTables.Hsqldb;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("proof")
class TrialTest {

  private static final Burst BURST = Burst.plain(0, 400);

  @TempDir private Path folder;

  private final List<Rounds> rounds = new ArrayList<>();

  @ParameterizedTest
  @ValueSource(
      strings = {
        "seed-design-hsqldb",
        "seed-design-hsqldb-durable",
        "bare-loop-hsqldb",
        "forebay-hsqldb"
      })
  void performsEveryStatementOfEachMeasuredRound(String name) throws Exception {
    try (Contender contender = open(name);
        Trial trial = new Trial(contender, new Tally(), rounds::add)) {
      trial.rounds(BURST, 1, 2);
    }
    assertThat(rounds).hasSize(2);
    assertThat(rounds.getFirst().names())
        .containsExactlyInAnyOrder(
            Trial.WRITE,
            "burst/s",
            Trial.WRITE_WHILE_PERFORMING,
            Trial.PERFORM,
            Trial.PERFORM_CPU,
            "perform/s",
            Trial.BYTES,
            Trial.ALLOCATED);
    assertThat(rounds.getFirst().median(Trial.PERFORM))
        .isGreaterThan(rounds.getFirst().median(Trial.WRITE_WHILE_PERFORMING));
    assertThat(rounds.getFirst().median(Trial.PERFORM_CPU)).isPositive();
    assertThat(rounds.getFirst().median(Trial.BYTES)).isBetween(30.0, 500.0);
  }

  @Test
  void appendsBareMessagesOfTheSameLengthAsForebays() throws Exception {
    try (Contender contender = open("bare-append-same-bytes");
        Trial trial = new Trial(contender, new Tally(), rounds::add)) {
      trial.rounds(BURST, 1, 1);
    }
    int length = Burst.messageBytes(Burst.INSERT);
    assertThat(rounds.getFirst().median(Trial.BYTES)).isBetween(length + 4.0, length + 24.0);
    assertThat(rounds.getFirst().has(Trial.PERFORM)).isFalse();
  }

  @Test
  void answersFailingStatementsAndCountsThem() throws Exception {
    Burst burst = new Burst(0, 400, 10);
    assertThat(burst.contents().rows()).isBetween(320L, 395L);

    try (Contender contender = open("seed-design-hsqldb");
        Trial trial = new Trial(contender, new Tally(), rounds::add)) {
      trial.rounds(burst, 0, 1);
    }
    assertThat(rounds).hasSize(1);
  }

  @Test
  void detectsAMissingEffect() throws Exception {
    assertThatThrownBy(() -> measure(new Faulty(true, 0)))
        .hasMessageContaining("the tables contain Contents[rows=399,");
  }

  @Test
  void detectsADuplicateResult() throws Exception {
    assertThatThrownBy(() -> measure(new Faulty(false, 1)))
        .hasMessageContaining("401 results with 401 rows and 0 failures were read");
  }

  @Test
  void detectsALateSurplusResult() throws Exception {
    Faulty contender = new Faulty(false, 0);
    assertThatThrownBy(
            () -> {
              try (contender;
                  Trial trial = new Trial(contender, new Tally(100), rounds::add)) {
                trial.rounds(BURST, 0, 1);
                contender.results.incrementAndGet();
              }
            })
        .hasMessage("401 results were read, but 400 were expected");
  }

  @Test
  void detectsAMissingResult() throws Exception {
    assertThatThrownBy(() -> measure(new Faulty(false, -1)))
        .hasMessageContaining("399 of 400 results were read");
  }

  private void measure(Faulty contender) throws Exception {
    try (contender;
        Trial trial = new Trial(contender, new Tally(100), rounds::add)) {
      trial.rounds(BURST, 0, 1);
    }
  }

  private Contender open(String name) throws Exception {
    return Benchmark.named(name, BurstContender.values()).open(folder, null);
  }

  /** Writes directly to the table, and counts results wrongly on purpose. */
  private final class Faulty implements Performing {

    private final TargetTables tables = TargetTables.inHsqldb(folder, Hsqldb.DELAYED);
    private final boolean losesARow;
    private final int surplus;
    private final AtomicLong results = new AtomicLong();

    Faulty(boolean losesARow, int surplus) throws Exception {
      this.losesARow = losesARow;
      this.surplus = surplus;
    }

    @Override
    public void write(Burst burst) {
      try (var connection = tables.database().connect();
          var statement = connection.prepareStatement(Burst.INSERT)) {
        for (long number = burst.from() + (losesARow ? 1 : 0); number < burst.to(); number++) {
          statement.setLong(1, number);
          statement.setString(2, Burst.customer(number));
          statement.setDouble(3, burst.amount(number));
          statement.execute();
        }
      } catch (Exception e) {
        throw new IllegalStateException(e);
      }
      results.set(burst.count() + surplus);
    }

    @Override
    public int pollResults(Tally tally) {
      int read = (int) results.getAndSet(0);
      for (int i = 0; i < read; i++) {
        tally.updated(1);
      }
      return read;
    }

    @Override
    public TargetTables effects() {
      return tables;
    }

    @Override
    public String performingThread() {
      return Thread.currentThread().getName();
    }

    @Override
    public void hold(boolean held) {}

    @Override
    public List<Path> queues() {
      return List.of(folder);
    }

    @Override
    public void close() throws SQLException {
      tables.shutdown();
    }
  }
}
