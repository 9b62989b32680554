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
import org.jspecify.annotations.Nullable;

/**
 * Runs histories, one after another. Worlds of one JVM would wait for each other's locks, so a JVM
 * has one world at a time, and several JVMs use several processors.
 *
 * <ul>
 *   <li>{@code Histories REPLAY} prints what happens in one history; see {@link Replay#parse}.
 *   <li>{@code Histories shrink REPLAY} prints a small history with the same violation.
 *   <li>{@code Histories FROM COUNT} prints the violations of each, and ends with status 3 if there
 *       are some.
 *   <li>{@code Histories FROM COUNT first} ends at the first history that has some.
 *   <li>{@code Histories FROM COUNT FILE} also adds to that file how far it is; see {@link
 *       Progress}.
 * </ul>
 */
final class Histories {

  /** One in so many seeds is that of a history of services. */
  private static final int SERVICES_ONE_IN =
      Boolean.getBoolean("forebay.simulation.services") ? 1 : 4;

  /** From this seed on, histories are of an outbox. */
  static final long OF_OUTBOXES = 1L << 40;

  /** So many histories take less CPU time with HotSpot's second compiler than without it. */
  private static final long WORTH_COMPILING = 2_000;

  /** How it ends if there are violations; a defect of the simulation ends it with 1. */
  static final int VIOLATIONS = 3;

  private static final long REPORT_EVERY_NANOS = 10_000_000_000L;

  private final SimulatedDatabase database = new SimulatedDatabase("histories");
  private final long begun = System.nanoTime();
  private final @Nullable Progress progress;
  private long done;
  private long steps;
  private long bad;

  private Histories(@Nullable Progress progress) throws SQLException {
    this.progress = progress;
  }

  /** Runs the history of a seed, which also says what it is of. */
  static History.Outcome history(long seed, SimulatedDatabase database, boolean traced)
      throws SQLException {
    if (seed >= OF_OUTBOXES) {
      return OutboxHistory.run(seed, database, traced);
    }
    return isOfAGateway(seed)
        ? GatewayHistory.run(seed, database, traced)
        : ServiceHistory.run(seed, database, traced);
  }

  static boolean isOfAGateway(long seed) {
    return seed < OF_OUTBOXES && seed % SERVICES_ONE_IN != 0;
  }

  static void main(String[] args) throws Exception {
    if (args.length == 1) {
      print(args[0]);
    } else if (args[0].equals("shrink")) {
      shrink(args[1]);
    } else {
      boolean first = args.length > 2 && args[2].equals("first");
      Progress progress = args.length > 2 && !first ? new Progress(Path.of(args[2])) : null;
      boolean good =
          new Histories(progress).run(Long.parseLong(args[0]), Long.parseLong(args[1]), first);
      System.exit(good ? 0 : VIOLATIONS);
    }
  }

  /** Prints a history for a person: that of a seed, or of the text of a {@link Replay}. */
  static History.Outcome print(String text) throws SQLException {
    SimulatedDatabase printed = new SimulatedDatabase("printed");
    History.Outcome outcome =
        text.matches("\\d+")
            ? history(Long.parseLong(text), printed, true)
            : GatewayHistory.run(Replay.parse(text), printed, true);
    outcome.trace().forEach(System.out::println);
    outcome.violations().forEach(it -> System.out.println("VIOLATION " + it));
    System.out.printf("%s, replay '%s'%n", Commit.name(), text);
    return outcome;
  }

  /** Prints a small history with the violation of a history of a gateway. */
  static void shrink(String text) throws SQLException {
    boolean isSeed = text.matches("\\d+");
    if (isSeed && !isOfAGateway(Long.parseLong(text))) {
      throw new IllegalArgumentException("only histories of gateways can be shrunk: seed " + text);
    }
    Replay replay = Replay.parse(text);
    SimulatedDatabase database = new SimulatedDatabase("shrunk");
    print(
        Shrinker.shrink(replay, (it, traced) -> GatewayHistory.run(it, database, traced))
            .toString());
  }

  private boolean run(long from, long count, boolean onlyFirst) throws Exception {
    long reported = begun;
    for (long seed = from; seed < from + count && !(onlyFirst && bad > 0); seed++) {
      History.Outcome outcome = history(seed, database, false);
      done++;
      steps += outcome.steps();
      if (!outcome.violations().isEmpty()) {
        bad++;
        report(Progress.failed(seed, outcome.violations()));
      }
      if (System.nanoTime() - reported >= REPORT_EVERY_NANOS) {
        reported = System.nanoTime();
        report(Progress.upTo(seed, perSecond(), bad));
      }
    }
    report(Progress.upTo(from + done - 1, perSecond(), bad));
    System.out.printf(
        Locale.ROOT, "%d histories, %d steps, %d bad, %.1f s%n", done, steps, bad, seconds());
    return bad == 0;
  }

  private void report(String line) throws Exception {
    System.out.println(line);
    if (progress != null) {
      progress.add(line);
    }
    if (System.out.checkError()) {
      System.exit(2); // nobody reads any more
    }
  }

  private double seconds() {
    return (System.nanoTime() - begun) / 1e9;
  }

  private double perSecond() {
    return done / seconds();
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
