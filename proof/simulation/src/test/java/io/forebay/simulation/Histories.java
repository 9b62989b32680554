/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Runs histories, one after another. Worlds of one JVM would wait for each other's locks, so a JVM
 * has one world at a time, and several JVMs use several processors.
 *
 * <ul>
 *   <li>{@code Histories SEED} prints what happens in one history.
 *   <li>{@code Histories FROM COUNT} prints the violations of each, and ends with status 1 if there
 *       are some.
 *   <li>{@code Histories FROM COUNT first} ends at the first history that has some.
 * </ul>
 */
final class Histories {

  /** One in so many seeds is that of a history of services. */
  private static final int SERVICES_ONE_IN =
      Boolean.getBoolean("forebay.simulation.services") ? 1 : 4;

  /** So many histories take less CPU time with HotSpot's second compiler than without it. */
  private static final long WORTH_COMPILING = 2_000;
  /** The name of a hole that all histories shall show; empty for none. */
  private static final String HOLE = System.getProperty("forebay.simulation.hole", "");

  private Histories() {}

  /** Runs the history of a seed, which also says whether it is of a gateway or of services. */
  static GatewayHistory.Outcome history(long seed, SimulatedDatabase database, boolean traced)
      throws SQLException {
    if (!HOLE.isEmpty()) {
      return Hole.valueOf(HOLE).run(seed, database, traced);
    }
    return seed % SERVICES_ONE_IN == 0
        ? ServiceHistory.run(seed, database, traced)
        : GatewayHistory.run(seed, database, traced);
  }

  static void main(String[] args) throws Exception {
    long from = Long.parseLong(args[0]);
    if (args.length == 1) {
      GatewayHistory.Outcome outcome = history(from, new SimulatedDatabase("histories"), true);
      outcome.trace().forEach(System.out::println);
      outcome.violations().forEach(System.out::println);
      return;
    }
    long count = Long.parseLong(args[1]);
    System.exit(run(from, count, args.length > 2) ? 0 : 1);
  }

  private static boolean run(long from, long count, boolean first) throws Exception {
    SimulatedDatabase database = new SimulatedDatabase("histories");
    long begun = System.nanoTime();
    long steps = 0;
    long bad = 0;
    long done = 0;
    for (long seed = from; seed < from + count && !(first && bad > 0); seed++) {
      GatewayHistory.Outcome outcome = history(seed, database, false);
      done++;
      steps += outcome.steps();
      if (!outcome.violations().isEmpty()) {
        bad++;
        System.out.println("seed " + seed + ": " + outcome.violations());
      }
    }
    System.out.printf(
        Locale.ROOT,
        "%d histories, %d steps, %d bad, %.1f s%n",
        done,
        steps,
        bad,
        (System.nanoTime() - begun) / 1e9);
    return bad == 0;
  }

  /**
   * A JVM that runs this program.
   *
   * @param before what comes first on its class path; empty for nothing
   */
  static Process start(String before, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-XX:+UseSerialGC",
                "-Djdk.trackAllThreads=false",
                "-cp",
                before + System.getProperty("java.class.path"),
                Histories.class.getName()));
    if (Long.parseLong(arguments[1]) < WORTH_COMPILING) {
      command.add(1, "-XX:TieredStopAtLevel=1");
    }
    command.addAll(List.of(arguments));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
    return process;
  }
}
