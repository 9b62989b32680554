/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.fault.ServiceArguments.Settings;
import io.forebay.jdbc.TestPostgres;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/**
 * The service is killed (SIGKILL) under load, again and again: at random moments and at each of the
 * crash points. What was acknowledged has its effect once and its result once, in order.
 *
 * <p>{@code -Dforebay.fault.cycles=300} kills more often.
 */
class KillIT {

  private static final int CYCLES = Integer.getInteger("forebay.fault.cycles", 24);
  private static final int CYCLES_PER_RUN = 24;
  private static final int CYCLES_PER_CHECK = 4;
  private static final Duration REACH_POINT = Duration.ofSeconds(10);

  private final Set<String> diedAt = new TreeSet<>();
  private long acknowledged;
  private int cycle;

  @Test
  void hsqldbHasEveryAcknowledgedStatementOnceAndInOrder() {
    survive("hsqldb", () -> FaultRun.embedded("hsqldb"));
  }

  @Test
  void postgresHasEveryAcknowledgedStatementOnceAndInOrder() {
    List<TestPostgres> databases = new ArrayList<>();
    try {
      survive(
          "postgres",
          () -> {
            databases.add(TestPostgres.shared());
            return FaultRun.on(databases.getLast().url(), "postgres");
          });
    } finally {
      databases.forEach(TestPostgres::close);
    }
  }

  private void survive(String database, Supplier<FaultRun> runs) {
    int cycles = Math.max(CYCLES / 2, 2 * CrashPoints.ALL.size());
    while (cycle < cycles) {
      try (FaultRun run = runs.get()) {
        System.out.println(run.context());
        int end = Math.min(cycles, cycle + CYCLES_PER_RUN);
        while (cycle < end) {
          killOnce(run);
          if (++cycle % CYCLES_PER_CHECK == 0 || cycle == end) {
            heal(run);
          }
        }
        acknowledged += run.checked();
        System.out.printf(
            "%s: killed %d of %d times, %,d statements acknowledged, none lost, doubled or reordered%n",
            database, cycle, cycles, acknowledged);
      }
    }
    assertThat(diedAt).containsExactlyInAnyOrderElementsOf(CrashPoints.ALL);
  }

  private void killOnce(FaultRun run) {
    RandomGenerator random = run.random();
    run.use(Settings.random(random));
    if (cycle % 2 == 0) {
      String point = CrashPoints.ALL.get(cycle / 2 % CrashPoints.ALL.size());
      int times = 1 + random.nextInt(CrashPoints.often(point));
      RunningService service = run.start(Optional.of(point + ":" + times));
      if (service.awaitEnd(REACH_POINT).equals(Optional.of(137))) {
        diedAt.add(point);
      }
      service.kill();
      return;
    }
    RunningService service = run.start();
    if (random.nextInt(4) == 0) {
      pause(random.nextInt(2_500));
    } else {
      service.awaitReady();
      pause(100 + random.nextInt(1_400));
    }
    service.kill();
  }

  /** Lets a process perform what is left, and checks. */
  private static void heal(FaultRun run) {
    RunningService service = run.start();
    service.awaitReady();
    pause(run.random().nextInt(300));
    service.settle();
    service.drain();
    run.check();
  }

  private static void pause(long millis) {
    LockSupport.parkNanos(millis * 1_000_000);
  }
}
