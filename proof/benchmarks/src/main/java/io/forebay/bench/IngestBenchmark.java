/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Orders sent over HTTP on many concurrent connections; each connection sends its next order when
 * the last was answered.
 *
 * <p>All contenders are endpoints of one process, the product's own, so that they share its web
 * server, its heap and its JIT profiles. The order of their turns rotates by one each round; the
 * backlog of one is performed before the next begins.
 */
final class IngestBenchmark {

  private static final String DATABASE = "ingest";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final double KILL_AFTER_SECONDS = 2;

  /** The size of a run. */
  private record Extent(int connections, int rounds, double seconds, double warmupSeconds) {}

  private final Options options;
  private final Extent extent;
  private final List<IngestContender> contenders;
  private final Map<IngestContender, String> paths = new LinkedHashMap<>();
  private final Map<String, Rounds> rounds = new LinkedHashMap<>();
  private final Map<String, Long> lostOnKill = new LinkedHashMap<>();

  private IngestBenchmark(Options options) {
    this.options = options;
    boolean brief = options.has("short");
    double seconds = options.count("seconds").orElse(brief ? 5L : 20L);
    // The JIT compiler needs at least 20 seconds for the HTTP door.
    double warmupSeconds = brief ? 20 : 30;
    extent =
        new Extent(
            Math.toIntExact(options.count("connections").orElse(100L)),
            Math.toIntExact(options.count("rounds").orElse(brief ? 2L : 5L)),
            seconds,
            options.has("seconds") ? Math.min(seconds, warmupSeconds) : warmupSeconds);
    contenders =
        options
            .text("only")
            .map(it -> Arrays.stream(it.split(",")).map(IngestContender::named).toList())
            .orElse(List.of(IngestContender.values()));
    contenders.forEach(it -> rounds.put(it.title(), new Rounds()));
  }

  static void main(List<String> arguments) throws Exception {
    Options options =
        new Options(
            arguments,
            Set.of("short"),
            Set.of(
                "out",
                "generator",
                "connections",
                "rounds",
                "seconds",
                "only",
                "server",
                "jvm",
                "delay"));
    Path out = Path.of(options.required("out"));
    String generator = options.text("generator").orElse("");
    if (!Set.of("", "wrk", "own").contains(generator)) {
      throw new UsageError("option --generator needs wrk or own");
    }
    IngestBenchmark benchmark = new IngestBenchmark(options);
    Path server = Product.jar(options);
    benchmark.run(Files.createDirectories(out).toAbsolutePath(), server, generator);
  }

  private void run(Path out, Path server, String generator) throws Exception {
    Map<String, Object> machine = Machine.describe(out);
    Map<String, Object> process = new LinkedHashMap<>();
    Map<String, Object> load;
    try (Testbed testbed = new Testbed(out, true)) {
      Postgres postgres = testbed.postgres();
      machine.put("postgresql", postgres.settings());
      String url = postgres.create(DATABASE);
      OrderTable orders = new OrderTable(url);
      orders.create();
      try (Load from = Load.open(generator, testbed);
          Load streams = OwnLoad.start(testbed);
          DelayProxy proxy = new DelayProxy(postgres.port(), Duration.ofMillis(delayMillis()));
          Product product =
              Product.start(
                  testbed,
                  server,
                  jvmOptions(),
                  delayMillis() == 0 ? url : Postgres.url(proxy.port(), DATABASE),
                  Map.of())) {
        load = from.describe();
        process.put("secondsToReady", Rounds.rounded(product.secondsToReady()));
        memory("WhenReady", product, process);
        IngestRun run =
            new IngestRun(product, postgres, orders, from, streams, extent.connections(), PATIENCE);
        measure(run);
        memory("AfterLoad", product, process);
        kill(run);
      }
    }
    IngestReport report =
        new IngestReport(rounds, delayMillis() == 0 ? targets() : delayedTargets());
    report.print(process);
    lostOnKill.forEach((contender, lost) ->
        System.out.printf(
            Locale.ROOT,
            "%s: %,d acknowledged orders lost by a kill in the middle of a load%n",
            contender,
            lost));
    ResultFiles.write(
        out,
        "ingest",
        json(report, machine, process, load),
        "Orders over HTTP",
        List.of(
            BarPanel.medians("Requests per second", rounds, IngestFigure.PER_SECOND, "forebay")));
  }

  private List<String> jvmOptions() {
    return options.text("jvm").map(it -> List.of(it.strip().split(" +"))).orElse(List.of());
  }

  private static void memory(String when, Product product, Map<String, Object> to)
      throws Exception {
    product.residentBytes().ifPresent(it -> to.put("residentBytes" + when, it));
    product.heap().forEach((name, value) -> to.put("heap" + capital(name) + when, value));
  }

  private static String capital(String name) {
    return Character.toUpperCase(name.charAt(0)) + name.substring(1);
  }

  private void measure(IngestRun run) throws Exception {
    for (IngestContender contender : contenders) {
      double best = -1;
      for (String path : contender.paths()) {
        System.out.printf("warm-up %s %s%n", contender.title(), path);
        Rounds figures = run.run(path, contender.inserts(), extent.warmupSeconds());
        double perSecond = figures.median(IngestFigure.PER_SECOND);
        System.out.println("    " + IngestReport.progress(figures));
        if (perSecond > best) {
          best = perSecond;
          paths.put(contender, path);
        }
      }
    }
    for (int round = 0; round < extent.rounds(); round++) {
      for (int i = 0; i < contenders.size(); i++) {
        IngestContender contender = contenders.get((round + i) % contenders.size());
        System.out.printf("%d/%d %s%n", round + 1, extent.rounds(), contender.title());
        Rounds figures = run.run(paths.get(contender), contender.inserts(), extent.seconds());
        System.out.println("    " + IngestReport.progress(figures));
        rounds.get(contender.title()).addAll(figures);
      }
    }
  }

  private void kill(IngestRun run) throws Exception {
    for (IngestContender contender : contenders) {
      if (contender.queues()) {
        System.out.printf("kill %s%n", contender.title());
        lostOnKill.put(
            contender.title(), run.lostOnKill(paths.get(contender), 2 * KILL_AFTER_SECONDS));
      }
    }
    if (lostOnKill.getOrDefault(IngestContender.FOREBAY_QUEUED.title(), 0L) > 0) {
      throw new IllegalStateException("acknowledged orders were lost: " + lostOnKill);
    }
  }

  private long delayMillis() {
    return options.count("delay").orElse(0L);
  }

  /** The targets when each round trip to the database takes longer. */
  static List<Target> delayedTargets() {
    String queued = IngestContender.FOREBAY_QUEUED.title();
    String direct = IngestContender.DIRECT_INSERT.title();
    return List.of(
        new Target(
            "requests per second, forebay-queued : direct-insert",
            Target.ratio(IngestFigure.PER_SECOND, queued, direct),
            Target.Sense.AT_LEAST,
            6),
        new Target(
            "99 %, forebay-queued : direct-insert",
            Target.ratio(IngestFigure.P99, queued, direct), Target.Sense.AT_MOST, 1.0 / 3));
  }

  /** The targets on two cores. */
  static List<Target> targets() {
    String queued = IngestContender.FOREBAY_QUEUED.title();
    return List.of(
        new Target(
            "requests per second, forebay-queued : direct-insert",
            Target.ratio(IngestFigure.PER_SECOND, queued, IngestContender.DIRECT_INSERT.title()),
            Target.Sense.AT_LEAST,
            5),
        new Target(
            "requests per second, forebay-queued : empty-handler",
            Target.ratio(IngestFigure.PER_SECOND, queued, IngestContender.EMPTY_HANDLER.title()),
            Target.Sense.AT_LEAST,
            0.7),
        new Target(
            "CPU per order, forebay-queued : empty-handler",
            Target.ratio(IngestFigure.ALL_MICROS, queued, IngestContender.EMPTY_HANDLER.title()),
            Target.Sense.AT_MOST,
            2),
        new Target(
            "CPU of the database per order, forebay-queued : direct-insert",
            Target.ratio(
                IngestFigure.DATABASE_MICROS, queued, IngestContender.DIRECT_INSERT.title()),
            Target.Sense.AT_MOST,
            0.08));
  }

  private Map<String, Object> json(
      IngestReport report,
      Map<String, Object> machine,
      Map<String, Object> process,
      Map<String, Object> load) {
    Map<String, Object> json = new LinkedHashMap<>();
    List<Object> entries = new ArrayList<>();
    for (IngestContender it : contenders) {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("name", it.title());
      entry.put("path", paths.get(it));
      entry.putAll(rounds.get(it.title()).summary());
      if (lostOnKill.containsKey(it.title())) {
        entry.put("lostOnKill", lostOnKill.get(it.title()));
      }
      entries.add(entry);
    }
    json.put("contenders", entries);
    json.put("targets", report.targets());
    json.put("process", process);
    json.put("jvmOptions", jvmOptions());
    json.put("delayMillis", delayMillis());
    json.put("generator", load);
    json.put("machine", machine);
    json.put("short", options.has("short"));
    json.put("connections", extent.connections());
    json.put("rounds", extent.rounds());
    json.put("seconds", extent.seconds());
    return json;
  }
}
