/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import io.forebay.testing.ChildProcess;
import java.time.Duration;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/** Runs a job in its own process, kills and restarts it repeatedly, until the job ends. */
public final class KilledProcess {

  /** Printed by the process when its job is about to start. */
  public static final String RUNNING = "running";

  /** Printed by the process, with the status and the exit description of the job. */
  public static final String ENDED = "ended ";

  private final LongSupplier progress;
  private final Class<?> main;
  private final Object[] arguments;
  private int kills;

  /**
   * @param progress a number that grows whenever the job has done a part of its work
   */
  public KilledProcess(LongSupplier progress, Class<?> main, Object... arguments) {
    this.progress = progress;
    this.main = main;
    this.arguments = arguments;
  }

  /**
   * Kills the process a number of times, each time at a random moment after its job did some work,
   * and then lets it end.
   *
   * @param longestMillis the longest time from then until a kill
   * @return what the process printed at its end
   */
  public String run(int times, int longestMillis, RandomGenerator random) {
    for (; kills < times; kills++) {
      long before = progress.getAsLong();
      try (ChildProcess process = start()) {
        process.until(() -> progress.getAsLong() > before || hasEnded(process));
        if (!process.endsWithin(Duration.ofMillis(random.nextInt(longestMillis)))) {
          process.close(); // its job may end at this very moment
        }
        if (hasEnded(process)) {
          return end(process);
        }
        process.awaitEnd(137);
      }
    }
    try (ChildProcess process = start()) {
      return end(process);
    }
  }

  /** How many times it was killed. */
  public int kills() {
    return kills;
  }

  private ChildProcess start() {
    ChildProcess process =
        ChildProcess.start(
            ChildProcess.java(
                ChildProcess.options("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                main,
                arguments));
    process.await(RUNNING);
    return process;
  }

  private static boolean hasEnded(ChildProcess process) {
    return process.lines().stream().anyMatch(line -> line.startsWith(ENDED));
  }

  private static String end(ChildProcess process) {
    String end = process.await(ENDED).substring(ENDED.length());
    process.awaitEnd();
    return end;
  }
}
