/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.database.TestPostgres;
import io.forebay.fault.ServiceArguments.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The service is killed (SIGKILL) repeatedly under load: at random moments and at the crash points,
 * each of them on one of the two databases. Every acknowledged statement takes effect once and has
 * one result, in order.
 *
 * <p>{@code -Dforebay.fault.cycles=300} runs more cycles, with each crash point on both databases.
 */
@Tag("proof")
class KillIT {

  private static final int CYCLES = Integer.getInteger("forebay.fault.cycles", 12);
  private static final int CYCLES_PER_RUN = 24;
  private static final int CYCLES_PER_CHECK = 4;

  /** The kinds of kills, in turn: at a random moment, at a crash point, at the next crash point. */
  private static final int KINDS = 3;

  /**
   * The first crash point on HSQLDB; so all builds together reach all of them on both databases.
   */
  private static final int FIRST = new Random().nextInt(2);

  private final Map<String, Integer> kills = new TreeMap<>();
  private long acknowledged;
  private int points;

  @Test
  void onHsqldbEveryAcknowledgedStatementIsThereOnceAndInOrder() {
    survive("hsqldb", FIRST, () -> FaultRun.embedded("hsqldb"));
  }

  @Test
  void onPostgresEveryAcknowledgedStatementIsThereOnceAndInOrder() {
    List<TestPostgres> databases = new ArrayList<>();
    try {
      survive(
          "postgres",
          1 - FIRST,
          () -> {
            databases.add(TestPostgres.shared());
            return FaultRun.on(databases.getLast().url(), "postgres");
          });
    } finally {
      databases.forEach(TestPostgres::close);
    }
  }

  private void survive(String database, int first, Supplier<FaultRun> runs) {
    int cycles = Math.max(CYCLES / 2, CrashPoints.ALL.size() / 2 * KINDS / (KINDS - 1));
    for (int cycle = 0; cycle < cycles; ) {
      try (FaultRun run = runs.get()) {
        System.out.println(run.context());
        int end = Math.min(cycles, cycle + CYCLES_PER_RUN);
        for (boolean fresh = true; cycle < end; fresh = false) {
          run.use(Settings.random(run.random()));
          if (cycle % KINDS == 0) {
            killAtRandom(run, fresh);
          } else {
            killAtPoint(run, point(first, points++));
          }
          if (++cycle % CYCLES_PER_CHECK == 0 || cycle == end) {
            heal(run);
          }
        }
        acknowledged += run.checked();
        System.out.printf(
            "%s: %d of %d kills %s, %,d statements acknowledged, none lost, doubled or reordered%n",
            database, cycle, cycles, kills, acknowledged);
      }
    }
    assertThat(kills.keySet())
        .filteredOn(CrashPoints.ALL::contains)
        .hasSize(Math.min(points, CrashPoints.ALL.size()));
  }

  /** Every second crash point, and then the others. */
  private static String point(int first, int number) {
    int place = first + 2 * number;
    return CrashPoints.ALL.get((place + place / CrashPoints.ALL.size()) % CrashPoints.ALL.size());
  }

  private void killAtPoint(FaultRun run, String point) {
    int times = 1 + run.random().nextInt(CrashPoints.often(point));
    RunningService service = run.start(Optional.of(point + ":" + times));
    service.process().awaitEnd(137);
    kills.merge(point, 1, Integer::sum);
  }

  /**
   * Kills mostly while the process works, and sometimes, as on a fresh directory, while it starts.
   */
  private void killAtRandom(FaultRun run, boolean fresh) {
    RandomGenerator random = run.random();
    RunningService service = run.start();
    boolean starting = fresh || random.nextInt(4) == 0;
    if (starting) {
      pause(random.nextInt(2_500));
    } else {
      service.awaitReady();
      pause(100 + random.nextInt(1_400));
    }
    service.process().kill();
    kills.merge(starting ? "while starting" : "at random", 1, Integer::sum);
  }

  /** Lets a process perform the rest, and checks. */
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
