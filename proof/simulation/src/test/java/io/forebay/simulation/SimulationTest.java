/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Thousands of short histories of gateways, services and outboxes; see {@link GatewayHistory},
 * {@link ServiceHistory} and {@link OutboxHistory}. The properties {@code forebay.simulation.seed}
 * and {@code forebay.simulation.histories} say which and how many; with {@code
 * forebay.simulation.progress}, a run that was stopped continues where that file says.
 */
class SimulationTest {

  private static final long SEED = Long.getLong("forebay.simulation.seed", 1);
  private static final long HISTORIES = Long.getLong("forebay.simulation.histories", 2_000);
  private static final String PROGRESS = System.getProperty("forebay.simulation.progress", "");

  @Test
  void everyHistoryKeepsThePromises(@TempDir Path directory) throws Exception {
    run(SEED, HISTORIES, file(directory, ""));
  }

  @Test
  void everyHistoryOfAnOutboxKeepsThePromises(@TempDir Path directory) throws Exception {
    run(Histories.OF_OUTBOXES + SEED, HISTORIES / 4, file(directory, "-of-outboxes"));
  }

  private static Path file(Path directory, String suffix) {
    return Path.of((PROGRESS.isEmpty() ? directory.resolve("progress") : PROGRESS) + suffix);
  }

  private static void run(long seed, long histories, Path file) throws Exception {
    int processors = Runtime.getRuntime().availableProcessors();
    Progress progress = new Progress(file);
    progress.begin(
        "seeds from %d: %d, %d processes, %s"
            .formatted(seed, histories, processors, Commit.name()));
    long share = Math.ceilDiv(histories, processors);
    List<Thread> readers = new ArrayList<>();
    List<Process> running = new ArrayList<>();
    for (long from = seed; from < seed + histories; from += share) {
      long next = progress.next(from, share);
      long left = Math.min(from + share, seed + histories) - next;
      Process process =
          Histories.start("", Long.toString(next), Long.toString(left), file.toString());
      running.add(process);
      readers.add(
          Thread.ofVirtual()
              .start(() -> process.inputReader().lines().forEach(System.out::println)));
    }
    for (int i = 0; i < running.size(); i++) {
      readers.get(i).join();
      assertThat(running.get(i).waitFor())
          .as("status of a process that ran all its histories")
          .isIn(0, Histories.VIOLATIONS);
    }
    List<String> failed = progress.failed();
    OptionalLong small =
        failed.stream().mapToLong(Progress::seed).filter(Histories::isOfAGateway).findFirst();
    if (small.isPresent()) {
      Histories.shrink(Long.toString(small.getAsLong()));
    }
    assertThat(failed)
        .as(
            "print one with -Dforebay.simulation.trace=SEED, or shrink it with -Dforebay.simulation.shrink=SEED")
        .isEmpty();
  }

  /** For a person who reads one history. */
  @Test
  @EnabledIfSystemProperty(named = "forebay.simulation.trace", matches = ".+")
  void printsOneHistory() throws Exception {
    History.Outcome outcome = Histories.print(System.getProperty("forebay.simulation.trace"));
    assertThat(outcome.violations()).isEmpty();
  }

  /** For a person who has a history that is too long to read. */
  @Test
  @EnabledIfSystemProperty(named = "forebay.simulation.shrink", matches = ".+")
  void shrinksOneHistory() throws Exception {
    Histories.shrink(System.getProperty("forebay.simulation.shrink"));
  }

  @Test
  void theSameSeedGivesTheSameHistory() throws Exception {
    SimulatedDatabase database = new SimulatedDatabase("twice");
    for (long seed :
        LongStream.of(0, Histories.OF_OUTBOXES)
            .flatMap(it -> LongStream.rangeClosed(it + 1, it + 20))
            .toArray()) {
      History.Outcome first = Histories.history(seed, database, true);
      History.Outcome second = Histories.history(seed, database, true);
      assertThat(second.trace()).isEqualTo(first.trace());
      assertThat(second.steps()).isEqualTo(first.steps());
    }
  }
}
