/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.capacity.series.RingLengths;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Prints the cost of sampling and of computing figures; 200 services once a second must cost under
 * 1 %.
 */
final class SamplingCostTest {

  /** A part of the 200, so that histories of 14 days fit into the memory of a test. */
  private static final int SERVICES = 50;

  private static final int ALL = 200;
  private static final int SECONDS = 120;
  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final Duration SECOND = Duration.ofSeconds(1);

  private int answers;

  @Test
  void printsTheCostOf200ServicesPerSecond() throws IOException {
    byte[] past = fortnight();
    List<SimulatedService> services = new ArrayList<>();
    for (int i = 0; i < SERVICES; i++) {
      SimulatedService service = new SimulatedService(RingLengths.DEFAULT);
      service.history.restore(past);
      services.add(service.run(Duration.ofMinutes(1), 100, 1000));
    }
    seconds(services);
    long before = cpuNanos();
    seconds(services);
    double share = (cpuNanos() - before) / (SECONDS * 1e9) * ALL / SERVICES;
    System.out.printf(
        "%d services with 14 days of history, a sample and all answers of each every second:"
            + " %.2f %% of a core; %d kB each to save%n",
        ALL, 100 * share, past.length / 1000);
    assertThat(answers).isEqualTo(2 * SECONDS * SERVICES * 4);
  }

  /** A history with some samples of each minute of 14 days. */
  private static byte[] fortnight() {
    SimulatedService service = new SimulatedService(RingLengths.DEFAULT);
    service.now = SimulatedService.START.minus(Duration.ofDays(14));
    while (service.now.isBefore(SimulatedService.START.minus(Duration.ofHours(6)))) {
      service.run(Duration.ofSeconds(2), service.now.getNano() + 100, 1000);
      service.now = service.now.plusSeconds(58);
    }
    service.run(Duration.between(service.now, SimulatedService.START), 100, 1000);
    return service.history.toBytes();
  }

  private void seconds(List<SimulatedService> services) {
    for (int second = 0; second < SECONDS; second++) {
      for (SimulatedService service : services) {
        service.run(SECOND, 100, 1000);
        ServiceHistory history = service.history;
        BurstHeadroom burst =
            BurstHeadroom.of(
                1000,
                history.beforeBurst(LIMIT),
                DirtyMemory.unknown("not sampled"),
                0,
                Figure.unknown("not asked"));
        answers += history.lag(LIMIT).late().known().isPresent() ? 1 : 0;
        answers += history.referenceBurst().known().isPresent() ? 1 : 0;
        answers += history.typicalBurst().known().isPresent() ? 1 : 0;
        answers += burst.late().known().isPresent() ? 1 : 0;
      }
    }
  }

  private static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }
}
