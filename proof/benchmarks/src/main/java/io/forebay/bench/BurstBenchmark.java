/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static io.forebay.bench.Contender.Trait.NEEDS_POSTGRESQL;
import static io.forebay.bench.Contender.Trait.SLOW;
import static io.forebay.bench.Contender.Trait.TAKES_FAILURES;
import static io.forebay.bench.Contender.Trait.TAKES_KAFKA;
import static io.forebay.bench.Contender.Trait.TAKES_TWO_STATEMENTS;

import io.forebay.bench.Contender.Entry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Bursts of statements, written as fast as possible and performed by a database.
 *
 * <p>Each contender runs in its own JVM, forked from this one: otherwise JIT profiles and garbage
 * of one contender would affect the next. Each round runs all contenders in turn, so that a machine
 * that slows down or speeds up does so for all of them.
 */
final class BurstBenchmark {

  static final FigureTable TABLE =
      FigureTable.of("median [min–max]")
          .range("write µs", Figure.WRITE, "%.2f")
          .one("burst/s", Figure.BURST_PER_SECOND, "%,.0f")
          .range("while performing µs", Figure.WRITE_WHILE_PERFORMING, "%.2f")
          .range("perform µs", Figure.PERFORM, "%.2f")
          .range("its thread's CPU µs", Figure.PERFORM_CPU, "%.2f")
          .one("perform/s", Figure.PERFORM_PER_SECOND, "%,.0f")
          .one("bytes", Figure.BYTES, "%.0f")
          .one("allocated", Figure.ALLOCATED, "%.1f");

  private static final String OURS = "forebay";
  private static final int SLOW_DIVISOR = 20;
  private static final String CHRONICLE = "chronicle";
  private static final String KAFKA = "kafka";

  /** The size of a run. */
  private record Extent(long statements, int turns, int warmups, int rounds) {}

  /** A contender, or one of its variants, for one turn. */
  private record Turn(String name, Entry entry, List<String> options) {}

  private final Options options;
  private final Extent extent;
  private final Map<String, Rounds> rounds = new LinkedHashMap<>();

  private BurstBenchmark(Options options) {
    this.options = options;
    extent =
        options.has("short")
            ? new Extent(options.count("statements").orElse(100_000L), 1, 4, 3)
            : new Extent(options.count("statements").orElse(200_000L), 2, 2, 5);
  }

  static void main(List<String> arguments) throws Exception {
    Options options =
        new Options(
            arguments,
            Set.of("short", "mix"),
            Set.of("out", "fail", "statements", "only", "backend"));
    Path out = Path.of(options.required("out"));
    if (!Set.of(CHRONICLE, KAFKA).contains(options.text("backend").orElse(CHRONICLE))) {
      throw new UsageError("option --backend needs chronicle or kafka");
    }
    BurstBenchmark benchmark = new BurstBenchmark(options);
    List<Turn> turns = benchmark.turns();
    if (turns.isEmpty()) {
      throw new UsageError("none of these contenders supports these options");
    }
    benchmark.run(Files.createDirectories(out).toAbsolutePath(), turns);
  }

  private List<Turn> turns() {
    List<Entry> entries =
        options
            .text("only")
            .map(it -> Arrays.stream(it.split(",")).map(Contenders::named).toList())
            .orElse(Contenders.ALL);
    List<Turn> turns = new ArrayList<>();
    for (Entry it : entries) {
      if (onKafka() && !it.is(TAKES_KAFKA)) {
        continue;
      }
      turns.add(new Turn(it.name(), it, List.of()));
      if (options.has("mix") && it.is(TAKES_TWO_STATEMENTS)) {
        turns.add(new Turn(it.name() + Targets.MIX, it, List.of("--mix")));
      }
      if (options.has("fail") && it.is(TAKES_FAILURES)) {
        turns.add(
            new Turn(it.name() + Targets.FAIL, it, List.of("--fail", options.required("fail"))));
      }
    }
    return turns;
  }

  private boolean onKafka() {
    return options.text("backend").filter(KAFKA::equals).isPresent();
  }

  private void run(Path out, List<Turn> turns) throws Exception {
    double failPercent = options.percent("fail").orElse(0.0);
    Map<String, Object> machine = Machine.describe(out);
    try (Testbed testbed =
        new Testbed(out, turns.stream().anyMatch(it -> it.entry().is(NEEDS_POSTGRESQL)))) {
      Postgres postgres = testbed.postgres();
      if (postgres != null) {
        machine.put("postgresql", postgres.settings());
      }
      if (onKafka()) {
        testbed.startBroker(SinkBenchmark.classPath("kafka-broker", "broker.classpath"));
      }
      for (int time = 1; time <= extent.turns(); time++) {
        for (Turn turn : turns) {
          System.out.printf("%d/%d %s%n", time, extent.turns(), turn.name());
          take(turn, testbed);
        }
      }
    }
    List<Target> targets = targets(failPercent);
    print(targets);
    ResultFiles.write(
        out,
        "burst",
        json(machine, targets),
        "Statements written and performed",
        List.of(
            BarPanel.medians("µs to write a statement", rounds, Figure.WRITE, OURS),
            BarPanel.medians("µs to perform a statement", rounds, Figure.PERFORM, OURS)));
  }

  /** The targets. On Kafka there are no contenders to compare with. */
  private List<Target> targets(double failPercent) {
    if (onKafka()) {
      return List.of();
    }
    return Targets.ofBursts(options.has("mix"), failPercent);
  }

  private void take(Turn turn, Testbed testbed) throws Exception {
    long statements = extent.statements();
    if (turn.entry().is(SLOW)) {
      statements = Math.max(1, statements / SLOW_DIVISOR);
    }
    List<String> arguments =
        new ArrayList<>(
            List.of(
                Trial.COMMAND,
                "--contender",
                turn.entry().name(),
                "--statements",
                Long.toString(statements),
                "--warmups",
                Integer.toString(extent.warmups()),
                "--rounds",
                Integer.toString(extent.rounds())));
    arguments.addAll(turn.options());
    testbed.trial(
        List.of("-Xms1g", "-Xmx1g"),
        turn.entry().is(NEEDS_POSTGRESQL),
        arguments,
        line -> read(line, rounds.computeIfAbsent(turn.name(), it -> new Rounds())));
  }

  /** Reads the figures of one round from a line of a trial's output. */
  private static void read(String line, Rounds rounds) {
    if (!FigureLine.is(Trial.ROUND, line)) {
      System.err.println(line);
      return;
    }
    StringBuilder progress = new StringBuilder("   ");
    FigureLine.figures(line)
        .forEach((name, value) -> {
          rounds.add(name, value);
          if (name.equals(Figure.WRITE) || name.equals(Figure.PERFORM)) {
            progress.append(String.format(Locale.ROOT, " %s %.3f", name, value));
          }
        });
    System.out.println(progress);
  }

  private void print(List<Target> targets) {
    System.out.println("\n" + TABLE.text(rounds) + "\n" + Target.table(targets, rounds));
  }

  private Map<String, Object> json(Map<String, Object> machine, List<Target> targets) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("contenders", Rounds.json(rounds));
    json.put("targets", targets.stream().map(it -> it.json(rounds)).toList());
    json.put("machine", machine);
    json.put("short", options.has("short"));
    json.put("backend", onKafka() ? KAFKA : CHRONICLE);
    json.put("statements", extent.statements());
    options.percent("fail").ifPresent(it -> json.put("failPercent", it));
    return json;
  }
}
