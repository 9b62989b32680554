/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Thousands of short histories of gateways and services; see {@link GatewayHistory} and {@link
 * ServiceHistory}. The properties {@code forebay.simulation.seed} and {@code
 * forebay.simulation.histories} say which and how many.
 */
class SimulationTest {

  private static final long SEED = Long.getLong("forebay.simulation.seed", 1);
  private static final long HISTORIES = Long.getLong("forebay.simulation.histories", 2_000);

  @Test
  void everyHistoryKeepsThePromises() throws Exception {
    int processors = Runtime.getRuntime().availableProcessors();
    long share = Math.ceilDiv(HISTORIES, processors);
    List<Process> running = new ArrayList<>();
    for (int i = 0; i < processors; i++) {
      running.add(Histories.start("", Long.toString(SEED + i * share), Long.toString(share)));
    }
    List<String> output = new ArrayList<>();
    for (Process process : running) {
      new String(process.getInputStream().readAllBytes()).lines().forEach(output::add);
    }
    output.forEach(System.out::println);
    for (Process process : running) {
      assertThat(process.waitFor())
          .as("print a seed with -Dforebay.simulation.trace=SEED: %s", output)
          .isZero();
    }
  }

  /** For a person who reads one history. */
  @Test
  @EnabledIfSystemProperty(named = "forebay.simulation.trace", matches = "\\d+")
  void printsOneHistory() throws Exception {
    long seed = Long.getLong("forebay.simulation.trace");
    GatewayHistory.Outcome outcome =
        Histories.history(seed, new SimulatedDatabase("printed"), true);
    outcome.trace().forEach(System.out::println);
    assertThat(outcome.violations()).isEmpty();
  }

  @Test
  void theSameSeedGivesTheSameHistory() throws Exception {
    SimulatedDatabase database = new SimulatedDatabase("twice");
    for (long seed = 1; seed <= 20; seed++) {
      GatewayHistory.Outcome first = Histories.history(seed, database, true);
      GatewayHistory.Outcome second = Histories.history(seed, database, true);
      assertThat(second.trace()).isEqualTo(first.trace());
      assertThat(second.steps()).isEqualTo(first.steps());
    }
  }
}
