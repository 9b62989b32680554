/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.sweep.Plan;
import io.forebay.bench.sweep.Point;
import io.forebay.bench.sweep.Sweep;
import io.forebay.bench.sweep.Verdict;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which rates this machine, its disk and a database sustain: appended to a queue, performed by a
 * service, inserted by a gateway. {@link Sweep} says what sustainable means.
 */
final class ProbeBenchmark {

  private static final String SUSTAINED = "sustainablePerSecond";

  static final FigureTable TABLE =
      FigureTable.of("median")
          .one("sustained/s", SUSTAINED, "%,.0f")
          .one("keeps up/s", "keepsUpPerSecond", "%,.0f")
          .one("highest/s", "highestPerSecond", "%,.0f")
          .one("typical µs", "typicalMicros", "%.1f")
          .one("bytes per message", "bytesPerMessage", "%,.0f")
          .one("TB per day", "terabytesPerDay", "%.2f");

  private final boolean brief;
  private final int bytes;
  private final Plan plan;
  private final Map<String, Rounds> rounds = new LinkedHashMap<>();
  private final Map<String, List<Point>> points = new LinkedHashMap<>();

  private ProbeBenchmark(Options options) {
    brief = options.has("short");
    bytes = Math.toIntExact(options.count("bytes").orElse(100L));
    Duration length =
        Duration.ofMillis((long) (1e3 * options.amount("seconds").orElse(brief ? 0.2 : 5.0)));
    plan =
        options
            .text("rates")
            .map(it -> Plan.of(PipelineBenchmark.rates(it), length))
            .orElseGet(() -> brief ? Plan.briefSearch(length) : Plan.search(length));
  }

  static void main(List<String> arguments) throws Exception {
    Options options =
        new Options(arguments, Set.of("short"), Set.of("out", "bytes", "seconds", "rates"));
    Path out = Path.of(options.required("out"));
    new ProbeBenchmark(options).run(Files.createDirectories(out).toAbsolutePath());
  }

  private void run(Path out) throws Exception {
    Map<String, Object> machine = Machine.describe(out);
    System.out.printf("about %d s%n", 4 * plan.about().toSeconds());
    Path data = Files.createTempDirectory(out, "probe");
    try {
      measure("append", new ProbePath.Append(data.resolve("append"), bytes));
      measure("service", new ProbePath.Service(data.resolve("service"), bytes));
      measure("gateway-hsqldb", ProbePath.Gateway.onHsqldb(data.resolve("hsqldb"), bytes));
      try (Postgres postgres = Postgres.start(data.resolve("server"), Map.of())) {
        machine.put("postgresql", postgres.settings());
        measure(
            "gateway-postgresql",
            ProbePath.Gateway.onPostgresql(
                data.resolve("postgresql"), bytes, postgres.create("probe")));
      }
    } finally {
      Testbed.delete(data);
    }
    System.out.println("\n" + TABLE.text(rounds));
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("contenders", Rounds.json(rounds));
    json.put("machine", machine);
    json.put("short", brief);
    json.put("bytes", bytes);
    json.put("seconds", plan.length().toMillis() / 1e3);
    ResultFiles.write(
        out, "probe", json, "Latency by rate", PipelineBenchmark.panels(points, rounds::get));
  }

  private void measure(String title, ProbePath path) throws Exception {
    try (path) {
      Verdict verdict =
          new Sweep(
                  path,
                  plan,
                  point -> System.out.println("  " + title + " " + PipelineBenchmark.line(point)))
              .run();
      double perMessage = path.bytesPerMessage();
      Rounds figures = rounds.computeIfAbsent(title, _ -> new Rounds());
      figures.add("typicalMicros", verdict.typicalNanos() / 1e3);
      figures.add("highestPerSecond", verdict.highestPerSecond());
      figures.add("keepsUpPerSecond", verdict.kneePerSecond());
      figures.add(SUSTAINED, verdict.sustainablePerSecond());
      figures.add("bytesPerMessage", perMessage);
      figures.add("terabytesPerDay", verdict.bytesPerDay(perMessage) / 1e12);
      points.put(title, verdict.points());
    }
  }
}
