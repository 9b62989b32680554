/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * The time and the allocations of the operations on a message, each alone, measured with JMH and
 * its profiler {@code gc}. Each has a process of its own in each round; the order rotates by one
 * each round. Operations run in batches of a fixed number, because what the process allocates
 * besides, also in other threads, counts too.
 */
final class JmhBenchmark {

  static final String NANOS = "nanosPerOperation";

  /** Bytes allocated per operation. */
  static final String BYTES = "bytesPerOperation";

  /** What the profiler calls the bytes of a batch. */
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  static final FigureTable TABLE =
      FigureTable.of("median [min–max]")
          .range("ns/op", NANOS, "%,.1f")
          .range("B/op", BYTES, "%,.1f");

  private final boolean brief;
  private final int runs;
  private final int batch;
  private final List<JmhOperation> operations;
  private final Map<String, Rounds> rounds = new LinkedHashMap<>();

  private JmhBenchmark(Options options) {
    brief = options.has("short");
    runs = Math.toIntExact(options.count("rounds").orElse(brief ? 1L : 5L));
    batch = brief ? 100_000 : 500_000;
    operations =
        options
            .text("only")
            .map(it -> Arrays.stream(it.split(",")).map(JmhOperation::named).toList())
            .orElse(JmhOperation.all());
    operations.forEach(it -> rounds.put(it.title(), new Rounds()));
  }

  static void main(List<String> arguments) throws Exception {
    Options options = new Options(arguments, Set.of("short"), Set.of("out", "rounds", "only"));
    Path out = Path.of(options.required("out"));
    JmhBenchmark benchmark = new JmhBenchmark(options);
    benchmark.run(Files.createDirectories(out).toAbsolutePath());
  }

  private void run(Path out) throws Exception {
    // The lock is a file in the temporary folder, which may belong to another user.
    System.setProperty("jmh.ignoreLock", "true");
    Map<String, Object> machine = Machine.describe(out);
    Path data = Files.createTempDirectory(out, "queues");
    try {
      for (int run = 0; run < runs; run++) {
        for (int i = 0; i < operations.size(); i++) {
          JmhOperation operation = operations.get((run + i) % operations.size());
          Rounds figures = measure(operation, data);
          System.out.printf(
              "%d/%d %s: %,.1f ns, %,.1f bytes%n",
              run + 1, runs, operation.title(), figures.median(NANOS), figures.median(BYTES));
          rounds.get(operation.title()).addAll(figures);
        }
      }
    } finally {
      Testbed.delete(data);
    }
    List<Target> targets =
        operations.stream()
            .filter(JmhOperation::mustNotAllocate)
            .map(JmhBenchmark::allocatesNothing)
            .toList();
    System.out.println("\n" + TABLE.text(rounds) + "\n" + Target.table(targets, rounds));
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("contenders", Rounds.json(rounds));
    json.put("targets", targets.stream().map(it -> it.json(rounds)).toList());
    json.put("machine", machine);
    json.put("short", brief);
    json.put("rounds", runs);
    ResultFiles.write(
        out,
        "jmh",
        json,
        "The time of operations on a message",
        List.of(BarPanel.medians("Nanoseconds per operation", rounds, NANOS, "bare")));
  }

  private static Target allocatesNothing(JmhOperation operation) {
    return new Target(
        "bytes allocated per " + operation.title(),
        Target.median(BYTES, operation.title()),
        Target.Sense.AT_MOST,
        Targets.NO_BYTES);
  }

  private Rounds measure(JmhOperation operation, Path data) throws Exception {
    Path folder = Files.createDirectory(data.resolve("operation"));
    RunResult result = new Runner(options(operation, folder.resolve("queue")).build()).runSingle();
    Testbed.delete(folder);
    Rounds iterations = new Rounds();
    for (BenchmarkResult process : result.getBenchmarkResults()) {
      for (IterationResult iteration : process.getIterationResults()) {
        iterations.add(NANOS, iteration.getPrimaryResult().getScore() / batch);
        iterations.add(BYTES, iteration.getSecondaryResults().get(ALLOCATED).getScore() / batch);
      }
    }
    Rounds figures = new Rounds();
    figures.add(NANOS, iterations.median(NANOS));
    // The last iteration also closes what the operation used.
    figures.add(BYTES, iterations.median(BYTES));
    return figures;
  }

  private ChainedOptionsBuilder options(JmhOperation operation, Path folder) {
    ChainedOptionsBuilder options =
        new OptionsBuilder()
            .include(operation.pattern())
            .mode(Mode.SingleShotTime)
            .timeUnit(TimeUnit.NANOSECONDS)
            .addProfiler(GCProfiler.class)
            .verbosity(VerboseMode.SILENT)
            .shouldFailOnError(true)
            .forks(1)
            .jvmArgs(Testbed.JVM_OPTIONS.toArray(String[]::new))
            .warmupBatchSize(batch)
            .warmupIterations(brief ? 2 : 20)
            .measurementBatchSize(batch)
            .measurementIterations(brief ? 5 : 10);
    operation.parameters().forEach((name, value) -> options.param(name, value.toString()));
    if (operation.usesFolder()) {
      options.param("folder", folder.toString());
    }
    return options;
  }
}
