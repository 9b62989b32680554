/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import static io.forebay.bench.Contender.Trait.NEEDS_POSTGRESQL;
import static io.forebay.bench.Contender.Trait.SLOW;
import static io.forebay.bench.Contender.Trait.TAKES_A_BACKLOG;
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

  private static final int SLOW_DIVISOR = 20;
  private static final String CHRONICLE = "chronicle";
  private static final String KAFKA = "kafka";

  /** The size of a run. */
  private record Extent(long statements, int turns, int warmups, int rounds) {}

  /** A contender, or one of its variants, for one turn. */
  private record Turn(String name, Entry entry, String heap, List<String> options) {}

  private final Options options;
  private final Extent extent;
  private final Map<String, Rounds> rounds = new LinkedHashMap<>();

  private BurstBenchmark(Options options) {
    this.options = options;
    extent =
        options.has("short")
            ? new Extent(options.count("statements").orElse(20_000L), 1, 2, 3)
            : new Extent(options.count("statements").orElse(200_000L), 2, 2, 5);
  }

  static void main(List<String> arguments) throws Exception {
    Options options =
        new Options(
            arguments,
            Set.of("short", "mix"),
            Set.of("out", "fail", "backlog", "statements", "only", "backend"));
    Path out = Path.of(options.required("out"));
    if (options.has("backlog") && (options.has("mix") || options.has("fail"))) {
      throw new UsageError("option --backlog cannot be combined with --mix or --fail");
    }
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
      if (options.has("backlog")) {
        if (it.is(TAKES_A_BACKLOG)) {
          String count = options.count("backlog").orElseThrow().toString();
          turns.add(new Turn(it.name(), it, "256m", List.of("--backlog", count)));
        }
        continue;
      }
      turns.add(new Turn(it.name(), it, "1g", List.of()));
      if (options.has("mix") && it.is(TAKES_TWO_STATEMENTS)) {
        turns.add(new Turn(it.name() + Targets.MIX, it, "1g", List.of("--mix")));
      }
      if (options.has("fail") && it.is(TAKES_FAILURES)) {
        turns.add(
            new Turn(
                it.name() + Targets.FAIL, it, "1g", List.of("--fail", options.required("fail"))));
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
      int times = options.has("backlog") ? 1 : extent.turns();
      for (int time = 1; time <= times; time++) {
        for (Turn turn : turns) {
          System.out.printf("%d/%d %s%n", time, times, turn.name());
          take(turn, testbed);
        }
      }
    }
    List<Target> targets = targets(failPercent);
    print(targets);
    Path file = out.resolve("burst.json");
    Files.writeString(file, Json.write(json(machine, targets)));
    System.out.println("written: " + file);
  }

  /** The targets. On Kafka there are no contenders to compare with. */
  private List<Target> targets(double failPercent) {
    if (onKafka()) {
      return List.of();
    }
    return options.has("backlog")
        ? Targets.ofBacklog()
        : Targets.ofBursts(options.has("mix"), failPercent);
  }

  private void take(Turn turn, Testbed testbed) throws Exception {
    long statements = extent.statements();
    if (turn.entry().is(SLOW)) {
      statements = Math.max(1, statements / SLOW_DIVISOR);
    }
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--contender", turn.entry().name(),
                "--statements", Long.toString(statements),
                "--warmups", Integer.toString(extent.warmups()),
                "--rounds", Integer.toString(extent.rounds())));
    arguments.addAll(turn.options());
    testbed.trial(
        turn.heap(),
        turn.entry().is(NEEDS_POSTGRESQL),
        arguments,
        line -> read(line, rounds.computeIfAbsent(turn.name(), it -> new Rounds())));
  }

  /** Reads the figures of one round from a line of a trial's output. */
  private static void read(String line, Rounds rounds) {
    if (!line.startsWith(Trial.ROUND)) {
      System.err.println(line);
      return;
    }
    StringBuilder progress = new StringBuilder("   ");
    for (String figure : line.substring(Trial.ROUND.length()).split(" ")) {
      int equals = figure.indexOf('=');
      String name = figure.substring(0, equals);
      double value = Double.parseDouble(figure.substring(equals + 1));
      rounds.add(name, value);
      if (name.equals(Figure.WRITE) || name.equals(Figure.PERFORM)) {
        progress.append(String.format(Locale.ROOT, " %s %.3f", name, value));
      }
    }
    System.out.println(progress);
  }

  private void print(List<Target> targets) {
    Table figures = new Table();
    figures.row(
        "median [min–max]",
        "write µs",
        "burst/s",
        "while performing µs",
        "perform µs",
        "perform/s",
        "bytes",
        "allocated");
    rounds.forEach((name, it) ->
        figures.row(
            name,
            range(it, Figure.WRITE),
            one(it, Figure.BURST_PER_SECOND, "%,.0f"),
            range(it, Figure.WRITE_WHILE_PERFORMING),
            range(it, Figure.PERFORM),
            one(it, Figure.PERFORM_PER_SECOND, "%,.0f"),
            one(it, Figure.BYTES, "%.0f"),
            one(it, Figure.ALLOCATED, "%.1f")));
    Table ratios = new Table();
    ratios.row("", "value", "to reach", "");
    targets.forEach(
        it -> ratios.row(it.what(), it.value(rounds), it.toReach(), it.verdict(rounds)));
    System.out.println("\n" + figures + "\n" + ratios);
  }

  private static String one(Rounds rounds, String figure, String format) {
    return rounds.has(figure) ? String.format(Locale.ROOT, format, rounds.median(figure)) : "-";
  }

  private static String range(Rounds rounds, String figure) {
    return rounds.has(figure)
        ? String.format(
            Locale.ROOT,
            "%.2f [%.2f–%.2f]",
            rounds.median(figure),
            rounds.min(figure),
            rounds.max(figure))
        : "-";
  }

  private Map<String, Object> json(Map<String, Object> machine, List<Target> targets) {
    List<Object> contenders = new ArrayList<>();
    rounds.forEach((name, it) -> {
      Map<String, Object> contender = new LinkedHashMap<>();
      contender.put("name", name);
      contender.putAll(it.summary());
      contenders.add(contender);
    });
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("contenders", contenders);
    json.put("targets", targets.stream().map(it -> it.json(rounds)).toList());
    json.put("machine", machine);
    json.put("short", options.has("short"));
    json.put("backend", onKafka() ? KAFKA : CHRONICLE);
    json.put("statements", extent.statements());
    options.percent("fail").ifPresent(it -> json.put("failPercent", it));
    options.count("backlog").ifPresent(it -> json.put("backlog", it));
    return json;
  }
}
