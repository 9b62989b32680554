/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import com.sun.management.ThreadMXBean;
import io.forebay.bench.Contender.Performing;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One contender in its own process: warm-up rounds, then measured rounds.
 *
 * <p>A round has two bursts. The first is written while the service is held, which measures the
 * cost of writing alone, and is performed afterwards. The second is performed while it is written,
 * which measures the time from the first write to the last result. After each burst the tables and
 * the results are checked; a difference ends the benchmark.
 */
final class Trial implements AutoCloseable {

  static final String COMMAND = "trial";

  /** Write time while nothing is performed. */
  static final String WRITE = "write µs";

  /** Write time while the service, its database and the reader of results share the cores. */
  static final String WRITE_WHILE_PERFORMING = "while performing µs";

  /** The time from the first write to the last result read. */
  static final String PERFORM = "perform µs";

  /** The CPU time of the thread that performs, per statement of the same burst. */
  static final String PERFORM_CPU = "its thread's CPU µs";

  /** Used bytes in the in-queue and the out-queue. */
  static final String BYTES = "bytes";

  /** Bytes allocated by the writing thread, except for the caller's arguments. */
  static final String ALLOCATED = "allocated";

  private final Contender contender;
  private final Consumer<Rounds> report;
  private final Tally tally;
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final @Nullable ResultReader reader;
  private long next;

  /**
   * @param tally counts the results
   * @param report receives the figures of each measured round
   */
  Trial(Contender contender, Tally tally, Consumer<Rounds> report) {
    this.contender = contender;
    this.tally = tally;
    this.report = report;
    reader = contender instanceof Performing it ? new ResultReader(it, tally) : null;
  }

  static void main(List<String> arguments) throws Exception {
    Options options =
        new Options(
            arguments,
            "--contender NAME --folder DIR --postgres URL --statements N --warmups N --rounds N"
                + " --fail PERCENT");
    Testbed.endWithParent();
    BurstContender name = Benchmark.named(options.required("contender"), BurstContender.values());
    try (Contender contender =
            name.open(Path.of(options.required("folder")), options.text("postgres").orElse(null));
        Trial trial =
            new Trial(contender, new Tally(), figures -> System.out.println(figures.line()))) {
      trial.rounds(
          new Burst(
              0, options.count("statements").orElseThrow(), options.percent("fail").orElse(0.0)),
          options.count("warmups").orElseThrow().intValue(),
          options.count("rounds").orElseThrow().intValue());
    }
  }

  /** Runs the warm-up rounds and then the measured rounds. */
  void rounds(Burst burst, int warmups, int rounds) throws Exception {
    for (int round = -warmups; round < rounds; round++) {
      Rounds figures =
          contender instanceof Performing performing
              ? performingRound(performing, burst)
              : writingRound(burst);
      if (round >= 0) {
        report.accept(figures);
      }
    }
  }

  private Rounds writingRound(Burst like) throws IOException {
    Burst burst = numbered(like);
    long usedBefore = QueueBytes.used(contender.queues());
    System.gc();
    Rounds figures = new Rounds();
    double allocated = allocatedBytes(() -> addWrite(figures, write(burst)), burst);
    return addMemory(
        figures, QueueBytes.used(contender.queues()) - usedBefore, burst.count(), allocated);
  }

  private Rounds performingRound(Performing performing, Burst like) throws Exception {
    Rounds figures = new Rounds();
    long usedBefore = QueueBytes.used(contender.queues());

    Burst held = begin(performing, like);
    performing.hold(true);
    double allocated = allocatedBytes(() -> addWrite(figures, write(held)), held);
    performing.hold(false);
    tally.await();
    performing.check(held, tally);

    Burst running = begin(performing, like);
    long thread = idOf(performing.performingThread());
    long cpu = threads.getThreadCpuTime(thread);
    long start = System.nanoTime();
    figures.add(WRITE_WHILE_PERFORMING, write(running));
    double micros = micros(start, tally.await(), running);
    double cpuMicros = micros(cpu, threads.getThreadCpuTime(thread), running);
    performing.check(running, tally);
    figures.add(PERFORM, micros).add(PERFORM_CPU, cpuMicros).add("perform/s", 1e6 / micros);
    return addMemory(
        figures,
        QueueBytes.used(contender.queues()) - usedBefore,
        held.count() + running.count(),
        allocated);
  }

  /** Begins a burst: gives it new numbers, empties the tables and expects the results. */
  private Burst begin(Performing performing, Burst like) throws Exception {
    Burst burst = numbered(like);
    performing.effects().clear();
    System.gc();
    tally.expect(burst.count());
    return burst;
  }

  private Burst numbered(Burst like) {
    Burst burst = like.startingAt(next);
    next = burst.to();
    return burst;
  }

  private double write(Burst burst) {
    long start = System.nanoTime();
    contender.write(burst);
    return micros(start, System.nanoTime(), burst);
  }

  private static double micros(long startNanos, long endNanos, Burst burst) {
    return (endNanos - startNanos) / 1e3 / burst.count();
  }

  private static long idOf(String thread) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(it -> it.getName().equals(thread))
        .mapToLong(Thread::threadId)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("no thread has the name " + thread));
  }

  /**
   * The bytes that writing allocates on this thread, minus those of the same loop around nothing.
   */
  private double allocatedBytes(Runnable writing, Burst burst) {
    long before = threads.getCurrentThreadAllocatedBytes();
    writing.run();
    long between = threads.getCurrentThreadAllocatedBytes();
    contender.writeNothing(burst);
    long after = threads.getCurrentThreadAllocatedBytes();
    return (double) ((between - before) - (after - between)) / burst.count();
  }

  private static void addWrite(Rounds figures, double micros) {
    figures.add(WRITE, micros).add("burst/s", 1e6 / micros);
  }

  private static Rounds addMemory(
      Rounds figures, long usedBytes, long statements, double allocated) {
    return figures.add(BYTES, (double) usedBytes / statements).add(ALLOCATED, allocated);
  }

  /**
   * Stops reading results.
   *
   * @throws IllegalStateException if there were more results than statements
   */
  @Override
  public void close() {
    if (reader != null) {
      reader.close();
      tally.requireNoSurplus();
    }
  }
}
