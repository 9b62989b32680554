/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * One letter per contract, with the customer and the address from a database or from services that
 * are called in different ways: table 1 of Knoche, "Improving Batch Performance when Migrating to
 * Microservices with Chunking and Coroutines", on PostgreSQL and Spring Batch. Before each run the
 * services and the database are restarted and then warmed up in the same way; the short form
 * restarts them only between rounds.
 */
final class LettersBenchmark {

  static final String SECONDS = "seconds";

  /** The largest used heap of the job after a collection. */
  static final String HEAP = "heapAfterGcMegabytes";

  /** CPU time of the process that runs the job. */
  static final String CPU = "cpuMicrosPerLetter";

  static final FigureTable TABLE =
      FigureTable.of("median [min–max]")
          .range("seconds", SECONDS, "%.2f")
          .range("CPU µs per letter", CPU, "%.1f")
          .range("heap after GC, MB", HEAP, "%.0f");

  /** Java's compilers need this many warm-ups of one contender until all of them are fast. */
  private static final int FIRST_WARM_UPS = 6;

  private final Options options;
  private final boolean brief;
  private final int times;
  private final long contracts;
  private final double warmUpSeconds;
  private final List<LettersContender> contenders;
  private final Map<LettersContender, Rounds> rounds = new EnumMap<>(LettersContender.class);

  private LettersBenchmark(Options options) {
    this.options = options;
    brief = options.has("short");
    times = Math.toIntExact(options.count("rounds").orElse(brief ? 1L : 10L));
    contracts = options.count("contracts").orElse(brief ? 30_000L : 100_000L);
    warmUpSeconds = options.amount("warmup").orElse(10.0);
    contenders =
        options
            .text("only")
            .map(it -> Arrays.stream(it.split(",")).map(LettersContender::named).toList())
            .orElse(List.of(LettersContender.values()));
    contenders.forEach(it -> rounds.put(it, new Rounds()));
  }

  static void main(List<String> arguments) throws Exception {
    Options options =
        new Options(
            arguments,
            Set.of("short"),
            Set.of("out", "rounds", "contracts", "warmup", "only", "server"));
    Path out = Path.of(options.required("out"));
    new LettersBenchmark(options).run(Files.createDirectories(out).toAbsolutePath());
  }

  private void run(Path out) throws Exception {
    Path jar = Product.jar(options);
    Map<String, Object> machine = Machine.describe(out);
    try (Testbed testbed = new Testbed(out, true)) {
      Postgres postgres = Objects.requireNonNull(testbed.postgres());
      machine.put("postgresql", postgres.settings());
      System.out.printf(Locale.ROOT, "preparing %,d contracts%n", contracts);
      try (LettersBed bed = LettersBed.open(testbed, postgres, jar, contracts)) {
        warmUp(bed, LettersContender.CHUNKED_REST_100, FIRST_WARM_UPS * warmUpSeconds);
        for (int round = 0; round < times; round++) {
          for (int i = 0; i < contenders.size(); i++) {
            LettersContender contender = contenders.get((round + i) % contenders.size());
            boolean justStarted = round == 0 && i == 0;
            if (!justStarted && (!brief || i == 0)) {
              restart(bed);
            }
            warmUp(bed, contender, warmUpSeconds);
            measure(bed, contender, round);
          }
        }
      }
    }
    print();
    String title = String.format(Locale.ROOT, "Seconds to write %,d letters", contracts);
    ResultFiles.write(
        out,
        "letters",
        json(machine),
        title,
        List.of(BarPanel.medians(title, byTitle(), SECONDS, "chunked")));
  }

  private static void restart(LettersBed bed) throws Exception {
    long start = System.nanoTime();
    bed.restart();
    System.out.printf(
        Locale.ROOT,
        "restarted the services and the database in %.1f s%n",
        (System.nanoTime() - start) / 1e9);
  }

  /** Writes a tenth of the letters in the same way, at least once and until the time is up. */
  private void warmUp(LettersBed bed, LettersContender contender, double seconds) throws Exception {
    long start = System.nanoTime();
    do {
      bed.write(contender, Math.max(1, contracts / 10));
    } while (System.nanoTime() - start < seconds * 1e9);
  }

  private void measure(LettersBed bed, LettersContender contender, int round) throws Exception {
    System.gc();
    try (LiveHeap heap = new LiveHeap()) {
      long cpuBefore = cpuNanos();
      double seconds = bed.write(contender, contracts);
      rounds.get(contender).add(CPU, (cpuNanos() - cpuBefore) / 1e3 / contracts);
      rounds.get(contender).add(SECONDS, seconds);
      rounds.get(contender).add(HEAP, heap.megabytes());
      System.out.printf(
          Locale.ROOT, "%d/%d %s %.2f s%n", round + 1, times, contender.title(), seconds);
    }
  }

  private static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  /** The targets on two cores, as medians of the rounds' ratios. */
  private List<Target> targets() {
    return List.of(
        ratio(LettersContender.INDIVIDUAL_REST, Target.Sense.AT_LEAST, 110),
        ratio(LettersContender.DIRECT_SQL, Target.Sense.AT_LEAST, Double.NaN),
        ratio(LettersContender.LIST_CALL_WRITER, Target.Sense.AT_LEAST, Double.NaN),
        ratio(LettersContender.ASYNC_ITEM_PROCESSOR, Target.Sense.AT_LEAST, Double.NaN),
        ratio(LettersContender.CONCURRENT_STEP, Target.Sense.AT_LEAST, Double.NaN),
        ratio(LettersContender.REMOTE_CHUNKING, Target.Sense.AT_LEAST, Double.NaN),
        notSlower(LettersContender.CHUNKED_REST_100, LettersContender.LIST_CALL_WRITER_100),
        notSlower(LettersContender.CHUNKED_REST_100, LettersContender.REMOTE_CHUNKING_100),
        notSlower(LettersContender.CHUNKED_QUEUE_100, LettersContender.LIST_CALL_WRITER_100),
        notSlower(LettersContender.CHUNKED_QUEUE_100, LettersContender.REMOTE_CHUNKING_100),
        new Target(
            "chunked-rest-100 : bare-loop-100",
            paired(LettersContender.CHUNKED_REST_100, LettersContender.BARE_LOOP_100),
            Target.Sense.AT_MOST,
            1.4),
        new Target(
            "chunked-queue-100 : chunked-rest-100",
            paired(LettersContender.CHUNKED_QUEUE_100, LettersContender.CHUNKED_REST_100),
            Target.Sense.AT_MOST,
            Double.NaN));
  }

  private Target ratio(LettersContender slow, Target.Sense sense, double limit) {
    return new Target(
        slow.title() + " : chunked-rest-100",
        paired(slow, LettersContender.CHUNKED_REST_100),
        sense,
        limit);
  }

  private static Target notSlower(LettersContender ours, LettersContender rival) {
    return new Target(
        ours.title() + " : " + rival.title(), paired(ours, rival), Target.Sense.AT_MOST, 0.9);
  }

  private static Target.Measure paired(LettersContender of, LettersContender against) {
    return rounds -> {
      Rounds a = rounds.get(of.title());
      Rounds b = rounds.get(against.title());
      if (a == null || b == null) {
        return OptionalDouble.empty();
      }
      Rounds ratios = new Rounds();
      for (int i = 0; i < a.values(SECONDS).size(); i++) {
        ratios.add("ratio", a.values(SECONDS).get(i) / b.values(SECONDS).get(i));
      }
      return OptionalDouble.of(ratios.median("ratio"));
    };
  }

  private Map<String, Rounds> byTitle() {
    Map<String, Rounds> byTitle = new LinkedHashMap<>();
    rounds.forEach((contender, it) -> byTitle.put(contender.title(), it));
    return byTitle;
  }

  private void print() {
    Table figures = new Table();
    figures.row(
        "seconds",
        "median",
        "99 % CI of the mean",
        "the paper's CI",
        "CPU µs per letter",
        "heap after GC, MB");
    rounds.forEach((contender, it) -> {
      Confidence confidence = Confidence.of(it.values(SECONDS));
      figures.row(
          contender.title(),
          String.format(Locale.ROOT, "%.3f", it.median(SECONDS)),
          Double.isNaN(confidence.half())
              ? "-"
              : String.format(Locale.ROOT, "[%.3f;%.3f]", confidence.from(), confidence.to()),
          contender.paper(),
          String.format(Locale.ROOT, "%.1f", it.median(CPU)),
          String.format(Locale.ROOT, "%.0f–%.0f", it.min(HEAP), it.max(HEAP)));
    });
    System.out.println("\n" + figures + "\n" + Target.table(targets(), byTitle()));
  }

  private Map<String, Object> json(Map<String, Object> machine) {
    List<Object> entries = new ArrayList<>();
    rounds.forEach((contender, it) -> {
      Map<String, Object> entry = new LinkedHashMap<>();
      entry.put("name", contender.title());
      entry.putAll(it.summary());
      Confidence confidence = Confidence.of(it.values(SECONDS));
      if (!Double.isNaN(confidence.half())) {
        entry.put(
            "secondsMeanCi99",
            List.of(Rounds.rounded(confidence.from()), Rounds.rounded(confidence.to())));
      }
      entry.put("callChunk", contender.callChunk());
      entry.put("stepChunk", contender.stepChunk());
      entry.put("paperSecondsCi99", contender.paper());
      entries.add(entry);
    });
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("contenders", entries);
    json.put("targets", targets().stream().map(it -> it.json(byTitle())).toList());
    json.put("machine", machine);
    json.put("short", brief);
    json.put("contracts", contracts);
    json.put("warmUpSeconds", warmUpSeconds);
    json.put("rounds", times);
    return json;
  }
}
