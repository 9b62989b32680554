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
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The latency of messages of 32 bytes at fixed rates, from the time they were due to the time they
 * were read (or written, with {@code --writer-only}), up to the worst one: the writing modes of the
 * Chronicle backend beside plain Chronicle Queue and beside no queue at all. The order of the
 * contenders rotates by one each run.
 */
final class TailBenchmark {

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
    List<Object> entries = new ArrayList<>();
    rounds.forEach((name, figures) -> {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("name", name);
      entry.putAll(figures.summary());
      entries.add(entry);
    });
    json.put("contenders", entries);
    json.put("targets", targets().stream().map(it -> it.json(rounds)).toList());
    json.put("machine", machine);
    json.put("short", brief);
    json.put("stallMillis", stallMillis);
    json.put("writerOnly", writerOnly);
    json.put("rounds", runs);
    json.put("seconds", seconds);
    Files.writeString(out.resolve("tail.json"), Json.write(json));
    Files.writeString(out.resolve("tail.svg"), TailChart.svg(panels()));
    System.out.println("written: " + out.resolve("tail.json"));
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

  private Map<String, Map<String, Rounds>> panels() {
    Map<String, Map<String, Rounds>> panels = new LinkedHashMap<>();
    for (long rate : rates) {
      Map<String, Rounds> panel = new LinkedHashMap<>();
      for (TailContender contender : TailContender.values()) {
        Rounds figures = rounds.get(name(contender, rate));
        if (figures != null) {
          panel.put(contender.title(), figures);
        }
      }
      panels.put(
          "%,d messages/s%s"
              .formatted(rate, stallMillis > 0 ? ", disk stalls %d ms".formatted(stallMillis) : ""),
          panel);
    }
    return panels;
  }

  private void print() {
    List<String> columns = new ArrayList<>(TailRun.PERCENTILES.keySet());
    columns.add(TailRun.BLOCKED);
    System.out.printf("%n%-18s", "median µs");
    columns.forEach(it -> System.out.printf("%10s", it.replaceAll("^p|^writer|Micros$", "")));
    System.out.println();
    rounds.forEach((name, figures) -> {
      System.out.printf("%-18s", name);
      columns.forEach(it ->
          System.out.printf(
              Locale.ROOT, "%10.1f", figures.has(it) ? figures.median(it) : Double.NaN));
      System.out.println();
    });
    for (Target target : targets()) {
      System.out.printf(
          "%-42s %s (%s) %s%n",
          target.what(), target.value(rounds), target.toReach(), target.verdict(rounds));
    }
  }
}
