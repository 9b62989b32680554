/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * A backlog larger than main memory, written by a process with a small heap while nothing is
 * performed, then drained. Each contender has its own process and its own files, which are deleted
 * before the next one.
 */
final class BacklogBenchmark {

  static final FigureTable TABLE =
      FigureTable.of("messages/s")
          .one("accepted", BacklogRun.ACCEPTED, "%,.0f")
          .one("first tenth", BacklogRun.ACCEPTED_FIRST, "%,.0f")
          .one("last tenth", BacklogRun.ACCEPTED_LAST, "%,.0f")
          .one("drained", BacklogRun.DRAINED, "%,.0f")
          .one("first tenth", BacklogRun.DRAINED_FIRST, "%,.0f")
          .one("last tenth", BacklogRun.DRAINED_LAST, "%,.0f")
          .one("own memory MB", MemorySample.OWN, "%,.0f")
          .one("dirty pages MB", MemorySample.DIRTY, "%,.0f")
          .one("bytes/message", BacklogTrial.BYTES, "%.0f");

  private static final List<String> JVM =
      List.of("-Xms256m", "-Xmx256m", "-XX:MaxDirectMemorySize=64m");

  private static final double GIGABYTE = 1e9;
  private static final double LEAST_LONG_GIGABYTES = 25;
  private static final double TIMES_MEMORY = 1.1;
  private static final double SHORT_GIGABYTES = 0.2;
  private static final int SLICES = 50;
  private static final int SLICES_PER_LINE = 5;
  private static final long WARMUP = 200_000;

  /** Bytes on the disk for each message: its queue entry, its result, its row and its log. */
  private static final double QUEUE_BYTES = 264;

  private static final double PERFORMED_BYTES = 160;
  private static final double OTHER_GIGABYTES = 2.5;

  private final double gigabytes;
  private final long messages;
  private final List<BacklogContender> contenders;
  private final Map<String, BacklogRun> runs = new LinkedHashMap<>();
  private final Map<String, Rounds> rounds = new LinkedHashMap<>();

  private BacklogBenchmark(Options options) {
    double memory = Machine.memoryBytes() / GIGABYTE;
    gigabytes =
        options
            .amount("gigabytes")
            .orElse(
                options.has("short")
                    ? SHORT_GIGABYTES
                    : Math.max(LEAST_LONG_GIGABYTES, TIMES_MEMORY * memory));
    messages = Math.max(SLICES, Math.round(gigabytes * GIGABYTE / BacklogContender.MESSAGE));
    contenders =
        options
            .text("only")
            .map(it -> Arrays.stream(it.split(",")).map(BacklogContender::named).toList())
            .orElse(BacklogContender.usual());
  }

  static void main(List<String> arguments) throws Exception {
    Options options = new Options(arguments, Set.of("short"), Set.of("out", "gigabytes", "only"));
    Path out = Path.of(options.required("out"));
    BacklogBenchmark benchmark = new BacklogBenchmark(options);
    benchmark.run(Files.createDirectories(out).toAbsolutePath());
  }

  /**
   * @throws UsageError if the disk has too little space
   */
  private void requireSpace(Path out) throws IOException {
    boolean performs = contenders.stream().anyMatch(BacklogContender::performs);
    double perMessage = QUEUE_BYTES + (performs ? PERFORMED_BYTES : 0);
    FileStore disk = Files.getFileStore(out);
    // Forebay accepts nothing when less than a twentieth of the disk is free.
    double needed =
        messages * perMessage / GIGABYTE + OTHER_GIGABYTES + disk.getTotalSpace() / 20 / GIGABYTE;
    double free = disk.getUsableSpace() / GIGABYTE;
    if (free < needed) {
      throw new UsageError(
          String.format(
              Locale.ROOT,
              "a backlog of %.1f GB needs %.0f GB of free disk at %s, but %.0f GB are free;"
                  + " use another disk, or a smaller backlog with --gigabytes",
              gigabytes,
              Math.ceil(needed),
              out,
              Math.floor(free)));
    }
  }

  private void run(Path out) throws Exception {
    requireSpace(out);
    Map<String, Object> machine = Machine.describe(out);
    boolean postgresql = contenders.stream().anyMatch(BacklogContender::needsPostgresql);
    try (Testbed testbed = new Testbed(out, postgresql)) {
      if (testbed.postgres() != null) {
        machine.put("postgresql", testbed.postgres().settings());
      }
      for (BacklogContender contender : contenders) {
        System.out.printf(
            Locale.ROOT, "%s: %,d messages, %.1f GB%n", contender.title(), messages, gigabytes);
        if (!fitsIntoMemory()) {
          writeDirtyPages();
        }
        take(contender, testbed);
      }
    }
    System.out.println("\n" + TABLE.text(rounds) + "\n" + Target.table(targets(), rounds));
    ResultFiles.write(out, "backlog", json(machine), "A backlog and its drain", panels());
  }

  /** Then it shows nothing of the disk, and is a trial. */
  private boolean fitsIntoMemory() {
    return gigabytes < Machine.memoryBytes() / GIGABYTE;
  }

  /** Writes the dirty pages that earlier work left, so that all contenders begin with none. */
  private static void writeDirtyPages() throws IOException, InterruptedException {
    if (System.getProperty("os.name").equals("Linux")) {
      new ProcessBuilder("sync").inheritIO().start().waitFor();
    }
  }

  private void take(BacklogContender contender, Testbed testbed) throws Exception {
    BacklogRun run = new BacklogRun();
    runs.put(contender.title(), run);
    testbed.trial(
        JVM,
        contender.needsPostgresql(),
        List.of(
            BacklogTrial.COMMAND,
            "--contender",
            contender.title(),
            "--messages",
            Long.toString(messages),
            "--warmup",
            Long.toString(Math.min(WARMUP, messages)),
            "--slices",
            Integer.toString(SLICES)),
        line -> read(line, run));
    rounds.put(contender.title(), run.figures());
  }

  private void read(String line, BacklogRun run) {
    String kind = line.split(" ", 2)[0];
    if (!Set.of(BacklogTrial.WRITTEN, BacklogTrial.DRAINED, BacklogTrial.CHECKED).contains(kind)) {
      System.err.println(line);
      return;
    }
    Map<String, Double> figures = FigureLine.figures(line);
    run.add(kind, figures);
    int slice = run.values(kind, BacklogTrial.PER_SECOND).size();
    if (figures.containsKey(BacklogTrial.PER_SECOND) && slice % SLICES_PER_LINE == 0) {
      System.out.printf(
          Locale.ROOT,
          "    %s %.1f GB, %,.0f/s, own memory %,.0f MB, dirty pages %,.0f MB%n",
          kind,
          slice * gigabytes / SLICES,
          figures.get(BacklogTrial.PER_SECOND),
          figures.getOrDefault(MemorySample.OWN, Double.NaN),
          figures.getOrDefault(MemorySample.DIRTY, Double.NaN));
    }
  }

  private List<Target> targets() {
    String direct = BacklogContender.FOREBAY_DIRECT.title();
    String bare = BacklogContender.BARE_APPEND.title();
    List<Target> targets = new ArrayList<>();
    targets.add(
        new Target(
            "accepted/s, forebay-direct : bare-append",
            Target.ratio(BacklogRun.ACCEPTED, direct, bare),
            Target.Sense.AT_LEAST,
            0.6));
    targets.add(
        new Target(
            "forebay-direct, accepted/s in the last tenth : drained/s",
            Target.within(direct, BacklogRun.ACCEPTED_LAST, BacklogRun.DRAINED),
            Target.Sense.AT_LEAST,
            2));
    for (BacklogContender contender : contenders) {
      String name = contender.title();
      targets.add(
          new Target(
              name + ", accepted/s, last tenth : first tenth",
              Target.within(name, BacklogRun.ACCEPTED_LAST, BacklogRun.ACCEPTED_FIRST),
              Target.Sense.AT_LEAST,
              Double.NaN));
      targets.add(
          new Target(
              name + ", drained/s, last tenth : first tenth",
              Target.within(name, BacklogRun.DRAINED_LAST, BacklogRun.DRAINED_FIRST),
              Target.Sense.AT_LEAST,
              contender.performs() ? 0.8 : Double.NaN));
    }
    targets.add(
        new Target(
            "forebay-direct, own memory at most, MB",
            Target.greatest(MemorySample.OWN, direct),
            Target.Sense.AT_MOST,
            512));
    return targets;
  }

  private List<LinePanel> panels() {
    List<LinePanel> panels = new ArrayList<>();
    panels.add(rates("Accepted, million messages/s, by GB written", BacklogTrial.WRITTEN));
    panels.add(rates("Drained, million messages/s, by GB drained", BacklogTrial.DRAINED));
    runs.entrySet().stream()
        .findFirst()
        .filter(it -> !it.getValue().values(BacklogTrial.WRITTEN, MemorySample.OWN).isEmpty())
        .ifPresent(it -> panels.add(memory(it.getKey(), it.getValue())));
    return panels;
  }

  private LinePanel rates(String title, String kind) {
    Map<String, List<Double>> lines = new LinkedHashMap<>();
    runs.forEach((name, run) -> lines.put(name, run.values(kind, BacklogTrial.PER_SECOND)));
    Map<String, List<Double>> millions = new LinkedHashMap<>();
    lines.forEach((name, of) -> millions.put(name, of.stream().map(it -> it / 1e6).toList()));
    List<Double> all = millions.values().stream().flatMap(List::stream).toList();
    return panel(
        title, ChartAxis.powersAround(Collections.min(all), Collections.max(all)), millions);
  }

  private LinePanel memory(String name, BacklogRun run) {
    Map<String, List<Double>> lines = new LinkedHashMap<>();
    lines.put("page cache", run.values(BacklogTrial.WRITTEN, MemorySample.PAGE_CACHE));
    lines.put("dirty pages", run.values(BacklogTrial.WRITTEN, MemorySample.DIRTY));
    lines.put("memory of the process", run.values(BacklogTrial.WRITTEN, MemorySample.OWN));
    lines.replaceAll((_, of) -> of.stream().map(it -> it / 1e3).toList());
    return panel(
        "Memory in GB while " + name + " accepts, by GB written",
        ChartAxis.upTo(
            lines.values().stream().flatMap(List::stream).mapToDouble(it -> it).max().orElse(1)),
        lines);
  }

  private LinePanel panel(String title, ChartAxis y, Map<String, List<Double>> values) {
    Map<String, List<LinePanel.Point>> lines = new LinkedHashMap<>();
    values.forEach((name, of) -> {
      List<LinePanel.Point> points = new ArrayList<>();
      for (int i = 0; i < of.size(); i++) {
        points.add(new LinePanel.Point((i + 0.5) * gigabytes / SLICES, of.get(i)));
      }
      lines.put(name, points);
    });
    double memory = Machine.memoryBytes() / GIGABYTE;
    return new LinePanel(
        title,
        ChartAxis.upTo(gigabytes),
        y,
        lines,
        memory < gigabytes ? Map.of(memory, "main memory") : Map.of());
  }

  private Map<String, Object> json(Map<String, Object> machine) {
    List<Map<String, Object>> entries = Rounds.json(rounds);
    entries.forEach(it -> it.put("slices", runs.get((String) it.get("name")).json()));
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("contenders", entries);
    json.put("targets", targets().stream().map(it -> it.json(rounds)).toList());
    json.put("machine", machine);
    json.put("short", fitsIntoMemory());
    json.put("messages", messages);
    json.put("messageBytes", BacklogContender.MESSAGE);
    json.put("gigabytes", Rounds.rounded(gigabytes));
    json.put("heapMegabytes", 256);
    return json;
  }
}
