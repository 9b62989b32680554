/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.capacity.series.RingLengths;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Prints the cost per second of 200 services: sampling must stay under 1 % of a core, a snapshot
 * under 10 ms.
 */
class WatchCostTest {

  private static final int SERVICES = 200;
  private static final int SECONDS = 90;

  @Test
  void printsTheCostOf200ServicesPerSecond() {
    RingLengths lengths =
        new RingLengths(Duration.ofMinutes(15), Duration.ofHours(6), Duration.ofDays(1));
    SimulatedServices services =
        new SimulatedServices(
            lengths,
            IntStream.range(0, SERVICES)
                .mapToObj("service-%03d"::formatted)
                .toArray(String[]::new));
    services.all.getFirst().performs = 90;
    services.sample(900);
    seconds(services);
    double sampling = millis(() -> services.sample(SECONDS)) / SECONDS;
    double all = millis(() -> seconds(services)) / SECONDS;
    Frames.Frame frame = services.frames.latest().orElseThrow();
    System.out.printf(
        "%d services: sampled in %.2f ms of a second, a snapshot of %d kB made in %.2f ms%n",
        SERVICES, sampling, frame.json().length / 1000, all - sampling);
    assertThat(frame.seq()).isEqualTo(2 * SECONDS);
  }

  private static void seconds(SimulatedServices services) {
    for (int second = 0; second < SECONDS; second++) {
      services.sample(1);
      services.watcher.second(services.now);
    }
  }

  private static double millis(Runnable action) {
    long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    action.run();
    return (ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before) / 1e6;
  }
}
