/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The latency of messages of 32 bytes at fixed rates, from the time they were due to the time they
 * were read (or written, with {@code --writer-only}), up to the worst one: the writing modes of the
 * Chronicle backend beside plain Chronicle Queue and beside no queue at all. The order of the
 * contenders rotates by one each run.
 */
final class TailBenchmark {

  static final FigureTable TABLE = table();

  private static final long PERIOD_MILLIS = 2_000;
  private static final String P9999 = "p99.99Micros";
  private static final String P9997 = "p99.97Micros";

  private final boolean brief;
  private final long stallMillis;
  private final boolean writerOnly;
  private final int runs;
  private final double seconds;
  private final double warmup;
  private final List<Long> rates;
  private final List<TailContender> contenders;
  private final Map<String, Rounds> rounds = new LinkedHashMap<>();

  private TailBenchmark(Options options) {
    brief = options.has("short");
    stallMillis = options.count("stall").orElse(0L);
    if (stallMillis >= PERIOD_MILLIS) {
      throw new UsageError("option --stall needs a number below " + PERIOD_MILLIS);
    }
    writerOnly = options.has("writer-only");
    runs = Math.toIntExact(options.count("rounds").orElse(brief ? 1L : 8L));
    seconds = options.count("seconds").orElse(brief ? 1L : 20L);
    warmup = brief ? 0.2 : Math.min(5, seconds / 2);
    rates =
        options
            .count("rate")
            .map(List::of)
            .orElse(brief ? List.of(50_000L) : List.of(50_000L, 250_000L));
    contenders =
        options
            .text("only")
            .map(it -> Arrays.stream(it.split(",")).map(TailContender::named).toList())
            .orElseGet(
                () -> stallMillis == 0 ? List.of(TailContender.values()) : withoutPretouch());
  }

  /**
   * While the disk stalls, the thread of pretouch holds a lock of the kernel that starting a
   * process may need, and this process has to end the stall.
   */
  private static List<TailContender> withoutPretouch() {
    return Stream.of(TailContender.values()).filter(it -> it != TailContender.PRETOUCH).toList();
  }

  static void main(List<String> arguments) throws Exception {
    Options options =
        new Options(
            arguments,
            Set.of("short", "writer-only"),
            Set.of("out", "rounds", "seconds", "rate", "only", "stall"));
    Path out = Path.of(options.required("out"));
    TailBenchmark benchmark = new TailBenchmark(options);
    benchmark.run(Files.createDirectories(out).toAbsolutePath());
  }

  private void run(Path out) throws Exception {
    Map<String, Object> machine = Machine.describe(out);
    Path data = Files.createTempDirectory(out, "queues");
    try {
      if (stallMillis == 0) {
        measure(data, null);
      } else {
        try (StallingDisk disk = StallingDisk.mount(data)) {
          measure(disk.folder(), disk);
        }
      }
    } finally {
      Testbed.delete(data);
    }
    print();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("contenders", Rounds.json(rounds));
    json.put("targets", targets().stream().map(it -> it.json(rounds)).toList());
    json.put("machine", machine);
    json.put("short", brief);
    json.put("stallMillis", stallMillis);
    json.put("writerOnly", writerOnly);
    json.put("rounds", runs);
    json.put("seconds", seconds);
    ResultFiles.write(
        out,
        stallMillis > 0 ? "tail-stall" : "tail",
        json,
        "Latency of messages by percentile",
        panels());
  }

  private void measure(Path data, @Nullable StallingDisk disk) throws Exception {
    for (int run = 0; run < runs; run++) {
      for (long rate : rates) {
        for (int i = 0; i < contenders.size(); i++) {
          TailContender contender = contenders.get((run + i) % contenders.size());
          Path folder = Files.createDirectory(data.resolve("queue"));
          Rounds figures;
          try (TailContender.Way way = contender.open(folder.resolve("data"))) {
            figures = measure(way, rate, disk);
          }
          Testbed.delete(folder);
          System.out.printf(
              "%d/%d %s: 99 %% %.1f µs, 99.99 %% %.1f µs, worst %.1f µs, blocked %.1f µs%n",
              run + 1,
              runs,
              name(contender, rate),
              figures.median("p99Micros"),
              figures.median(P9999),
              figures.median("worstMicros"),
              figures.has(TailRun.BLOCKED) ? figures.median(TailRun.BLOCKED) : Double.NaN);
          rounds.computeIfAbsent(name(contender, rate), _ -> new Rounds()).addAll(figures);
        }
      }
    }
  }

  private Rounds measure(TailContender.Way way, long rate, @Nullable StallingDisk disk)
      throws Exception {
    TailRun run = new TailRun(way, rate, !writerOnly);
    if (disk == null) {
      return run.measure(warmup, seconds);
    }
    try (StallingDisk.Stalls _ = disk.new Stalls(stallMillis, PERIOD_MILLIS)) {
      return run.measure(warmup, seconds);
    }
  }

  private static String name(TailContender contender, long rate) {
    return contender.title() + "-" + rate;
  }

  private List<Target> targets() {
    List<Target> targets = new ArrayList<>();
    for (long rate : rates) {
      String direct = name(TailContender.DIRECT, rate);
      targets.add(
          new Target(
              "99.99 %, async : direct at " + rate + "/s",
              Target.ratio(P9999, name(TailContender.ASYNC, rate), direct),
              Target.Sense.AT_MOST,
              0.1));
      targets.add(
          new Target(
              "99.97 %, pretouch : direct at " + rate + "/s",
              Target.ratio(P9997, name(TailContender.PRETOUCH, rate), direct),
              Target.Sense.AT_MOST,
              1));
    }
    return targets;
  }

  private List<LinePanel> panels() {
    List<String> figures = List.copyOf(TailRun.PERCENTILES.keySet());
    List<LinePanel> panels = new ArrayList<>();
    for (long rate : rates) {
      Map<String, List<LinePanel.Point>> lines = new LinkedHashMap<>();
      for (TailContender contender : contenders) {
        Rounds of = rounds.get(name(contender, rate));
        lines.put(
            contender.title(),
            IntStream.range(0, figures.size())
                .mapToObj(i -> new LinePanel.Point(i, of.median(figures.get(i))))
                .toList());
      }
      panels.add(
          new LinePanel(
              "Latency by percentile, %,d messages/s%s"
                  .formatted(
                      rate, stallMillis > 0 ? ", disk stalls %d ms".formatted(stallMillis) : ""),
              ChartAxis.names(figures.stream().map(TailBenchmark::shortName).toList()),
              ChartAxis.powers(-1, 6, TailBenchmark::micros),
              lines,
              Map.of()));
    }
    return panels;
  }

  private static String shortName(String figure) {
    return figure.replaceAll("^p|Micros$", "");
  }

  private static String micros(int power) {
    return switch (power) {
      case -1 -> "0.1 µs";
      case 0, 1, 2 -> "%d µs".formatted((int) Math.pow(10, power));
      case 3, 4, 5 -> "%d ms".formatted((int) Math.pow(10, power - 3));
      default -> "1 s";
    };
  }

  private static FigureTable table() {
    FigureTable table = FigureTable.of("median µs");
    for (String figure : TailRun.PERCENTILES.keySet()) {
      table = table.one(shortName(figure), figure, "%.1f");
    }
    return table.one("blocked", TailRun.BLOCKED, "%.1f");
  }

  private void print() {
    System.out.println("\n" + TABLE.text(rounds) + "\n" + Target.table(targets(), rounds));
  }
}
