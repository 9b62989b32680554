/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Path;
import java.util.List;
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
final class JmhBenchmark extends Benchmark {

  static final String NANOS = "ns/op";

  /** Bytes allocated per operation. */
  static final String BYTES = "B/op";

  /** What the profiler calls the bytes of a batch. */
  private static final String ALLOCATED = "gc.alloc.rate.norm";

  private final int batch;
  private final List<JmhOperation> operations;

  JmhBenchmark(Options options) {
    super(options);
    batch = brief ? 100_000 : 500_000;
    operations = only(JmhOperation.values());
  }

  @Override
  protected void run(Path out) throws Exception {
    // The lock is a file in the temporary folder, which may belong to another user.
    System.setProperty("jmh.ignoreLock", "true");
    try (Testbed testbed = new Testbed(out)) {
      rotate(rounds(5), operations, operation -> measure(operation, testbed));
    }
  }

  private Rounds measure(JmhOperation operation, Testbed testbed) throws Exception {
    Path folder = testbed.newFolder("operation");
    RunResult result = new Runner(options(operation, folder.resolve("queue"))).runSingle();
    Testbed.delete(folder);
    Rounds iterations = new Rounds();
    for (BenchmarkResult process : result.getBenchmarkResults()) {
      for (IterationResult iteration : process.getIterationResults()) {
        iterations.add(NANOS, iteration.getPrimaryResult().getScore() / batch);
        iterations.add(BYTES, iteration.getSecondaryResults().get(ALLOCATED).getScore() / batch);
      }
    }
    // The last iteration also closes what the operation used, which the median leaves out.
    return new Rounds().add(NANOS, iterations.median(NANOS)).add(BYTES, iterations.median(BYTES));
  }

  private org.openjdk.jmh.runner.options.Options options(JmhOperation operation, Path folder) {
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
    return options.build();
  }

  @Override
  protected Set<String> ranges() {
    return Set.of(NANOS, BYTES);
  }

  @Override
  protected List<String> targets() {
    return operations.stream()
        .filter(JmhOperation::mustNotAllocate)
        .map(it -> BYTES + " of " + title(it) + " <= 0.5")
        .toList();
  }
}
