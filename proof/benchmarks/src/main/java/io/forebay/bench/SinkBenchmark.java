/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.kafka.broker.BrokerProcess;
import java.io.IOException;
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
 * Moves the same rows from a broker's topic to a PostgreSQL table with one contender after the
 * other, each in its own process. The order of the turns rotates by one each round.
 */
final class SinkBenchmark {

  private final Options options;
  private final int times;
  private final SinkTurn.Extent extent;
  private final List<SinkContender> contenders;
  private final Map<String, Rounds> rounds = new LinkedHashMap<>();

  private SinkBenchmark(Options options) {
    this.options = options;
    boolean brief = options.has("short");
    times = Math.toIntExact(options.count("rounds").orElse(brief ? 1L : 3L));
    extent =
        new SinkTurn.Extent(
            options.count("warmup").orElse(brief ? 100_000L : 300_000L),
            options.count("rows").orElse(brief ? 100_000L : 1_000_000L),
            options.count("rate").orElse(2_000L),
            options.count("seconds").orElse(brief ? 3L : 10L));
    contenders =
        options
            .text("only")
            .map(it -> Arrays.stream(it.split(",")).map(SinkContender::named).toList())
            .orElse(List.of(SinkContender.values()));
    contenders.forEach(it -> rounds.put(it.title(), new Rounds()));
  }

  static void main(List<String> arguments) throws Exception {
    Options options =
        new Options(
            arguments,
            Set.of("short"),
            Set.of("out", "rows", "warmup", "rate", "seconds", "rounds", "only", "jvm"));
    Path out = Path.of(options.required("out"));
    new SinkBenchmark(options).run(Files.createDirectories(out).toAbsolutePath());
  }

  @FunctionalInterface
  private interface Turns {
    SinkTurn of(SinkContender contender);
  }

  private void run(Path out) throws Exception {
    Path brokerClassPath = classPath("kafka-broker", "broker.classpath");
    Path connectClassPath = classPath("kafka-connect", "connect.classpath");
    Map<String, Object> machine = Machine.describe(out);
    try (Testbed testbed = new Testbed(out, true, Map.of("track_commit_timestamp", "on"))) {
      Postgres postgres = testbed.postgres();
      machine.put("postgresql", postgres.settings());
      BrokerProcess broker = testbed.startBroker(brokerClassPath);
      List<String> jvm =
          options.text("jvm").map(it -> List.of(it.strip().split(" +"))).orElse(List.of());
      Turns turns =
          contender ->
              new SinkTurn(testbed, postgres, broker, connectClassPath, jvm, contender, extent);
      if (!options.has("short")) {
        // Let the broker's JIT compiler do most of its work before the first measurement.
        System.out.println("warm-up of the broker");
        turns.of(contenders.getFirst()).take("warmup");
      }
      for (int round = 0; round < times; round++) {
        for (int i = 0; i < contenders.size(); i++) {
          SinkContender contender = contenders.get((round + i) % contenders.size());
          System.out.printf("%d/%d %s%n", round + 1, times, contender.title());
          Rounds figures = turns.of(contender).take("turn" + (round * contenders.size() + i));
          System.out.println("    " + IngestReport.progress(figures));
          rounds.get(contender.title()).addAll(figures);
        }
      }
    }
    print();
    Path file = out.resolve("sink.json");
    Files.writeString(file, Json.write(json(machine)));
    System.out.println("written: " + file);
  }

  /** The class path file of a module, at the build's location relative to this program. */
  static Path classPath(String module, String name) throws IOException {
    Path own = Path.of(EndpointsJar.location()).getParent().getParent();
    Path file = own.resolveSibling(module).resolve("target").resolve(name);
    if (!Files.isRegularFile(file)) {
      throw new UsageError("there is no class path at %s; build module %s".formatted(file, module));
    }
    return file;
  }

  /** The targets on two cores. */
  static List<Target> targets() {
    String debezium = SinkContender.DEBEZIUM.title();
    return List.of(
        new Target(
            "rows per second, forebay-kafka : debezium-jdbc-sink",
            Target.ratio(SinkFigure.PER_SECOND, SinkContender.FOREBAY.title(), debezium),
            Target.Sense.AT_LEAST,
            3),
        new Target(
            "rows per second, forebay-kafka-failures-only : debezium-jdbc-sink",
            Target.ratio(
                SinkFigure.PER_SECOND, SinkContender.FOREBAY_FAILURES_ONLY.title(), debezium),
            Target.Sense.AT_LEAST,
            Double.NaN));
  }

  private void print() {
    Table figures = new Table();
    figures.row(
        "median [min–max]",
        "rows/s",
        "CPU s per million: sink",
        "database",
        "broker",
        "append to commit ms: p50",
        "p90",
        "p99",
        "max",
        "bytes/record");
    rounds.forEach((name, it) ->
        figures.row(
            name,
            String.format(
                Locale.ROOT,
                "%,.0f [%,.0f–%,.0f]",
                it.median(SinkFigure.PER_SECOND),
                it.min(SinkFigure.PER_SECOND),
                it.max(SinkFigure.PER_SECOND)),
            one(it, SinkFigure.CPU, "%.2f"),
            one(it, SinkFigure.DATABASE_CPU, "%.2f"),
            one(it, SinkFigure.BROKER_CPU, "%.2f"),
            one(it, SinkFigure.P50, "%.1f"),
            one(it, SinkFigure.P90, "%.1f"),
            one(it, SinkFigure.P99, "%.1f"),
            one(it, SinkFigure.MAX, "%.0f"),
            one(it, SinkFigure.BYTES, "%.0f")));
    Table ratios = new Table();
    ratios.row("", "value", "to reach", "");
    targets()
        .forEach(it -> ratios.row(it.what(), it.value(rounds), it.toReach(), it.verdict(rounds)));
    System.out.println("\n" + figures + "\n" + ratios);
    contenders.forEach(it ->
        System.out.printf(
            "%s: %s; results: %s; records: %s%n",
            it.title(), it.promise(), it.results(), it.format().text()));
  }

  private static String one(Rounds rounds, String figure, String format) {
    return rounds.has(figure) ? String.format(Locale.ROOT, format, rounds.median(figure)) : "-";
  }

  private Map<String, Object> json(Map<String, Object> machine) {
    List<Object> entries = new ArrayList<>();
    for (SinkContender it : contenders) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("name", it.title());
      entry.put("promise", it.promise());
      entry.put("results", it.results());
      entry.put("format", it.format().text());
      entry.putAll(rounds.get(it.title()).summary());
      entries.add(entry);
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("contenders", entries);
    json.put("targets", targets().stream().map(it -> it.json(rounds)).toList());
    json.put("machine", machine);
    json.put("short", options.has("short"));
    json.put("rows", extent.rows());
    json.put("warmupRows", extent.warmup());
    json.put("appendsPerSecond", extent.perSecond());
    json.put("seconds", extent.seconds());
    json.put("rounds", times);
    json.put("batch", SinkProcess.BATCH);
    return json;
  }
}
