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
import java.util.Map;
import java.util.Set;

/**
 * Moves the same rows from a broker's topic to a PostgreSQL table with one contender after the
 * other, each in its own process. The order of the turns rotates by one each round.
 */
final class SinkBenchmark {

  static final FigureTable TABLE =
      FigureTable.of("median [min–max]")
          .range("rows/s", SinkFigure.PER_SECOND, "%,.0f")
          .one("CPU s per million: sink", SinkFigure.CPU, "%.2f")
          .one("database", SinkFigure.DATABASE_CPU, "%.2f")
          .one("broker", SinkFigure.BROKER_CPU, "%.2f")
          .one("append to commit ms: p50", SinkFigure.P50, "%.1f")
          .one("p90", SinkFigure.P90, "%.1f")
          .one("p99", SinkFigure.P99, "%.1f")
          .one("max", SinkFigure.MAX, "%.0f")
          .one("bytes/record", SinkFigure.BYTES, "%.0f");

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
            options.count("warmup").orElse(brief ? 2_000_000L : 3_000_000L),
            options.count("rows").orElse(brief ? 1_000_000L : 5_000_000L),
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
    ResultFiles.write(
        out,
        "sink",
        json(machine),
        "Rows from Kafka to PostgreSQL",
        List.of(BarPanel.medians("Rows per second", rounds, SinkFigure.PER_SECOND, "forebay")));
  }

  /** The class path file of a module, at the build's location relative to this program. */
  static Path classPath(String module, String name) throws IOException {
    Path own = Path.of(EndpointsJar.location()).getParent().getParent();
    Path file = own.resolveSibling(module).resolve("target").resolve(name);
    if (!Files.isRegularFile(file)) {
      throw new UsageError(
          "there is no class path at %s; build with -Dforebay.bench.sink=true".formatted(file));
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
    System.out.println("\n" + TABLE.text(rounds) + "\n" + Target.table(targets(), rounds));
    contenders.forEach(it ->
        System.out.printf(
            "%s: %s; results: %s; records: %s%n",
            it.title(), it.promise(), it.results(), it.format().text()));
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
