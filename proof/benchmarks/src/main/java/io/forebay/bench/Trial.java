/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import com.sun.management.ThreadMXBean;
import io.forebay.bench.Burst.Contents;
import io.forebay.bench.Contender.KafkaPlace;
import io.forebay.bench.Contender.Performing;
import io.forebay.bench.Contender.Place;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

  /** The first word of an output line with the figures of a round. */
  static final String ROUND = "round";

  private final Contender contender;
  private final Consumer<Map<String, Double>> report;
  private final Tally tally;
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final @Nullable ResultReader reader;
  private long next;

  /**
   * @param tally counts the results
   * @param report receives the figures of each measured round
   */
  Trial(Contender contender, Tally tally, Consumer<Map<String, Double>> report) {
    this.contender = contender;
    this.tally = tally;
    this.report = report;
    reader = contender instanceof Performing it ? new ResultReader(it, tally) : null;
  }

  static void main(List<String> arguments) throws Exception {
    Options options =
        new Options(
            arguments,
            Set.of("mix"),
            Set.of(
                "contender",
                "folder",
                "postgres",
                "kafka",
                "kafka-data",
                "statements",
                "warmups",
                "rounds",
                "fail"));
    Testbed.endWithParent();
    Place place =
        Place.forBursts(
            Path.of(options.required("folder")),
            options.text("postgres").orElse(null),
            kafka(options));
    try (Contender contender =
            Contenders.named(options.required("contender")).opening().open(place);
        Trial trial =
            new Trial(
                contender,
                new Tally(),
                figures -> System.out.println(FigureLine.of(ROUND, figures)))) {
      Burst burst =
          new Burst(
              0,
              options.count("statements").orElseThrow(),
              options.has("mix"),
              options.percent("fail").orElse(0.0));
      int warmups = options.count("warmups").orElseThrow().intValue();
      trial.rounds(burst, warmups, options.count("rounds").orElseThrow().intValue());
    }
  }

  private static @Nullable KafkaPlace kafka(Options options) {
    return options.has("kafka")
        ? new KafkaPlace(
            options.required("kafka"),
            Path.of(options.required("kafka-data")),
            Path.of(options.required("folder")).getFileName() + ".")
        : null;
  }

  /** Runs the warm-up rounds and then the measured rounds. */
  void rounds(Burst burst, int warmups, int rounds) throws Exception {
    for (int round = -warmups; round < rounds; round++) {
      Map<String, Double> figures =
          contender instanceof Performing performing
              ? performingRound(performing, burst)
              : writingRound(burst);
      if (round >= 0) {
        report.accept(figures);
      }
    }
  }

  private Map<String, Double> writingRound(Burst like) throws IOException {
    Map<String, Double> figures = new LinkedHashMap<>();
    Burst burst = numbered(like);
    long usedBefore = QueueBytes.used(contender.queues());
    System.gc();
    double allocated = allocatedBytes(() -> putWrite(figures, write(burst)), burst);
    putMemory(figures, QueueBytes.used(contender.queues()) - usedBefore, burst.count(), allocated);
    return figures;
  }

  private Map<String, Double> performingRound(Performing performing, Burst like) throws Exception {
    Map<String, Double> figures = new LinkedHashMap<>();
    long usedBefore = QueueBytes.used(contender.queues());

    Burst held = begin(performing, like);
    performing.hold();
    double allocated = allocatedBytes(() -> putWrite(figures, write(held)), held);
    performing.release();
    tally.await();
    check(performing, held);

    Burst running = begin(performing, like);
    long thread = idOf(performing.performingThread());
    long cpu = threads.getThreadCpuTime(thread);
    long start = System.nanoTime();
    figures.put(Figure.WRITE_WHILE_PERFORMING, write(running));
    long end = tally.await();
    figures.put(Figure.PERFORM_CPU, micros(cpu, threads.getThreadCpuTime(thread), running));
    check(performing, running);
    putPerform(figures, micros(start, end, running));

    putMemory(
        figures,
        QueueBytes.used(contender.queues()) - usedBefore,
        held.count() + running.count(),
        allocated);
    return figures;
  }

  /** Begins a burst: gives it new numbers, empties the tables and expects the results. */
  private Burst begin(Performing performing, Burst like) throws Exception {
    Burst burst = numbered(like);
    performing.tables().clear();
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

  /**
   * @throws IllegalStateException if an effect or result is missing, wrong or duplicated
   */
  private void check(Performing performing, Burst burst) throws SQLException {
    Contents expected = burst.contents();
    Contents actual = performing.tables().contents();
    if (!actual.equals(expected)) {
      throw new IllegalStateException(
          "the tables contain %s, but the burst should leave %s".formatted(actual, expected));
    }
    long failures = burst.count() - expected.rows();
    if (tally.read() != burst.count()
        || tally.rows() != expected.rows()
        || tally.failures() != failures) {
      throw new IllegalStateException(
          "%d results with %d rows and %d failures were read, but the burst has %d, %d and %d"
              .formatted(
                  tally.read(),
                  tally.rows(),
                  tally.failures(),
                  burst.count(),
                  expected.rows(),
                  failures));
    }
  }

  private static void putWrite(Map<String, Double> figures, double micros) {
    figures.put(Figure.WRITE, micros);
    figures.put(Figure.BURST_PER_SECOND, 1e6 / micros);
  }

  private static void putPerform(Map<String, Double> figures, double micros) {
    figures.put(Figure.PERFORM, micros);
    figures.put(Figure.PERFORM_PER_SECOND, 1e6 / micros);
  }

  private static void putMemory(
      Map<String, Double> figures, long usedBytes, long statements, double allocated) {
    figures.put(Figure.BYTES, (double) usedBytes / statements);
    figures.put(Figure.ALLOCATED, allocated);
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
