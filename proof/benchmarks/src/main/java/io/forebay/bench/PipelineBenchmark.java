/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.sweep.Plan;
import io.forebay.bench.sweep.Point;
import io.forebay.bench.sweep.Sweep;
import io.forebay.bench.sweep.Verdict;
import io.forebay.chronicle.ChronicleBackend.Writing;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * Which rate three services behind each other sustain: Forebay's own services, exactly once and
 * with the history of each message, beside bare method writers and readers of Chronicle Queue. The
 * threads of all contenders wait alike. The order of the contenders rotates by one each round. At
 * the end of a round the jitter of the machine is measured as in {@code tail}, at the rates at
 * which the bare chain kept up.
 */
final class PipelineBenchmark {

  private static final String TYPICAL = "typicalMicros";
  private static final String P99 = "p99Micros";
  private static final String P999 = "p99.9Micros";
  private static final String WORST = "worstMicros";
  private static final String SUSTAINED = "sustainablePerSecond";

  static final FigureTable TABLE =
      FigureTable.of("median")
          .one("sustained/s", SUSTAINED, "%,.0f")
          .one("keeps up/s", "keepsUpPerSecond", "%,.0f")
          .one("highest/s", "highestPerSecond", "%,.0f")
          .one("typical µs", TYPICAL, "%.1f")
          .one("99 % µs, low rate", P99, "%.1f")
          .one("99.9 % µs, low rate", P999, "%.1f")
          .one("worst µs, low rate", WORST, "%.1f")
          .one("CPU µs per message", "cpuMicrosPerMessage", "%.2f")
          .one("bytes per message", "bytesPerMessage", "%,.0f")
          .one("TB per day", "terabytesPerDay", "%.2f");

  private static final Map<String, ToLongFunction<Point>> LINES = lines();
  private static final long WARM_UP = 200_000;
  private static final long BURST = 300_000;
  private static final long SHORT_BURST = 20_000;

  private enum Chain {
    BARE("bare-chain") {
      @Override
      PipelineChain open(Path folder, PipelineWait wait) {
        return new SeedPipeline(folder, wait);
      }
    },
    FOREBAY("forebay") {
      @Override
      PipelineChain open(Path folder, PipelineWait wait) {
        return new ForebayPipeline(folder, wait, Writing.DIRECT);
      }
    },
    ASYNC("forebay-async") {
      @Override
      PipelineChain open(Path folder, PipelineWait wait) {
        return new ForebayPipeline(folder, wait, Writing.ASYNC);
      }
    };

    private final String title;

    Chain(String title) {
      this.title = title;
    }

    abstract PipelineChain open(Path folder, PipelineWait wait);
  }

  private final boolean brief;
  private final int runs;
  private final PipelineWait wait;
  private final Plan plan;
  private final Map<String, Rounds> rounds = new LinkedHashMap<>();
  private final Map<String, List<Point>> points = new LinkedHashMap<>();

  private PipelineBenchmark(Options options) {
    brief = options.has("short");
    runs = Math.toIntExact(options.count("rounds").orElse(brief ? 1L : 3L));
    wait = PipelineWait.named(options.text("wait").orElse("yield"));
    Duration length =
        Duration.ofMillis((long) (1e3 * options.amount("seconds").orElse(brief ? 0.2 : 2.0)));
    List<Long> rates = options.text("rates").map(PipelineBenchmark::rates).orElse(List.of());
    plan =
        !rates.isEmpty()
            ? Plan.of(rates, length)
            : brief ? Plan.briefSearch(length) : Plan.search(length);
  }

  static List<Long> rates(String text) {
    try {
      List<Long> rates = Arrays.stream(text.split(",")).map(Long::valueOf).toList();
      if (rates.stream().allMatch(it -> it > 0)) {
        return rates;
      }
    } catch (NumberFormatException _) {
      // reported below
    }
    throw new UsageError("option --rates needs numbers above 0, such as 1000,50000");
  }

  private static Map<String, ToLongFunction<Point>> lines() {
    Map<String, ToLongFunction<Point>> lines = new LinkedHashMap<>();
    lines.put("typical", Point::typical);
    lines.put("90 %", Point::p90);
    lines.put("99 %", Point::p99);
    lines.put("99.9 %", Point::p999);
    lines.put("99.99 %", Point::p9999);
    lines.put("worst", Point::worst);
    return lines;
  }

  static void main(List<String> arguments) throws Exception {
    Options options =
        new Options(
            arguments, Set.of("short"), Set.of("out", "rounds", "seconds", "rates", "wait"));
    Path out = Path.of(options.required("out"));
    PipelineBenchmark benchmark = new PipelineBenchmark(options);
    benchmark.run(Files.createDirectories(out).toAbsolutePath());
  }

  private void run(Path out) throws Exception {
    Map<String, Object> machine = Machine.describe(out);
    System.out.printf(
        "about %d s%n", runs * (Chain.values().length + 1) * (plan.about().toSeconds() + 5));
    Path data = Files.createTempDirectory(out, "queues");
    try {
      for (int run = 0; run < runs; run++) {
        for (int i = 0; i < Chain.values().length; i++) {
          Chain chain = Chain.values()[(run + i) % Chain.values().length];
          Path folder = Files.createDirectory(data.resolve("chain"));
          measure(chain, folder.resolve("data"), run);
          Testbed.delete(folder);
        }
        measureJitter();
      }
    } finally {
      Testbed.delete(data);
    }
    List<Target> targets = List.of(target("forebay"), target("forebay-async"));
    System.out.println("\n" + TABLE.text(rounds) + "\n" + Target.table(targets, rounds));
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("contenders", Rounds.json(rounds));
    json.put("targets", targets.stream().map(it -> it.json(rounds)).toList());
    json.put("machine", machine);
    json.put("short", brief);
    json.put("rounds", runs);
    json.put("seconds", plan.length().toMillis() / 1e3);
    json.put("wait", wait.name());
    ResultFiles.write(
        out, "pipeline", json, "Latency of three stages by rate", panels(points, rounds::get));
  }

  private static Target target(String contender) {
    return new Target(
        "sustained rate, " + contender + " : bare-chain",
        Target.ratio(SUSTAINED, contender, "bare-chain"),
        Target.Sense.AT_LEAST,
        1);
  }

  private void measure(Chain of, Path folder, int run) throws Exception {
    Rounds figures = rounds.computeIfAbsent(of.title, _ -> new Rounds());
    try (PipelineChain chain = of.open(folder, wait)) {
      chain.burst(brief ? SHORT_BURST : WARM_UP);
      long burst = brief ? SHORT_BURST : BURST;
      long before = processNanos();
      chain.burst(burst);
      figures.add("cpuMicrosPerMessage", (processNanos() - before) / 1e3 / burst);
      Verdict verdict =
          new Sweep(chain, plan, point -> System.out.println("  " + of.title + " " + line(point)))
              .run();
      double bytes = (double) chain.storedBytes() / chain.sent();
      figures.add(TYPICAL, verdict.typicalNanos() / 1e3);
      addTail(figures, verdict.points().getFirst());
      figures.add("highestPerSecond", verdict.highestPerSecond());
      figures.add("keepsUpPerSecond", verdict.kneePerSecond());
      figures.add(SUSTAINED, verdict.sustainablePerSecond());
      figures.add("bytesPerMessage", bytes);
      figures.add("terabytesPerDay", verdict.bytesPerDay(bytes) / 1e12);
      points.put(of.title, verdict.points());
      System.out.printf(
          "%d/%d %s: sustains %,d/s, keeps up with %,d/s%n",
          run + 1, runs, of.title, verdict.sustainablePerSecond(), verdict.kneePerSecond());
    }
  }

  /** Adds the slowest messages at the lowest rate. */
  private static void addTail(Rounds figures, Point lowest) {
    figures.add(P99, lowest.p99() / 1e3);
    figures.add(P999, lowest.p999() / 1e3);
    figures.add(WORST, lowest.worst() / 1e3);
  }

  /** Measures messages that go from thread to thread without a queue. */
  private void measureJitter() throws Exception {
    TailContender jitter = TailContender.OS_JITTER;
    List<Point> bare = points.get(Chain.BARE.title);
    double seconds = plan.length().toNanos() / 1e9;
    List<Point> measured = new ArrayList<>();
    for (long rate :
        bare.stream()
            .filter(it -> it.keepsUp() || it == bare.getFirst())
            .mapToLong(Point::perSecond)
            .distinct()
            .toArray()) {
      try (TailContender.Way way = jitter.open(Path.of(""))) {
        measured.add(point(rate, new TailRun(way, rate, true).measure(seconds / 10, seconds)));
      }
      System.out.println("  " + jitter.title() + " " + line(measured.getLast()));
    }
    points.put(jitter.title(), measured);
    Rounds figures = rounds.computeIfAbsent(jitter.title(), _ -> new Rounds());
    figures.add(TYPICAL, measured.getFirst().typical() / 1e3);
    addTail(figures, measured.getFirst());
  }

  private static Point point(long rate, Rounds figures) {
    return new Point(
        rate,
        rate,
        (long) figures.median("messages"),
        nanos(figures, "p50Micros"),
        nanos(figures, "p90Micros"),
        nanos(figures, P99),
        nanos(figures, P999),
        nanos(figures, "p99.99Micros"),
        nanos(figures, WORST),
        true);
  }

  private static long nanos(Rounds figures, String micros) {
    return Math.round(1e3 * figures.median(micros));
  }

  /** The CPU time of this process so far. */
  private static long processNanos() {
    return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  static String line(Point point) {
    StringBuilder line = new StringBuilder("%,d/s:".formatted(point.perSecond()));
    LINES.forEach((name, nanos) ->
        line.append(" %s %,.1f µs".formatted(name, nanos.applyAsLong(point) / 1e3)));
    return line.append(point.keepsUp() ? "" : ", falls behind").toString();
  }

  /** A panel for each contender: the percentiles of its last round by rate. */
  static List<LinePanel> panels(Map<String, List<Point>> points, Function<String, Rounds> rounds) {
    List<LinePanel> panels = new ArrayList<>();
    points.forEach((title, of) -> {
      Map<String, List<LinePanel.Point>> lines = new LinkedHashMap<>();
      LINES.forEach((name, nanos) ->
          lines.put(
              name,
              of.stream()
                  .map(it -> new LinePanel.Point(it.perSecond(), nanos.applyAsLong(it) / 1e3))
                  .toList()));
      Rounds figures = rounds.apply(title);
      double sustained = figures.has(SUSTAINED) ? figures.values(SUSTAINED).getLast() : 0;
      panels.add(
          new LinePanel(
              title + ": latency in µs by messages/s, last round",
              ChartAxis.powersAround(of.getFirst().perSecond(), of.getLast().perSecond()),
              ChartAxis.powers(0, 7, power -> "%,d".formatted((long) Math.pow(10, power))),
              lines,
              sustained > 0 ? Map.of(sustained, "sustained") : Map.of()));
    });
    return panels;
  }
}
