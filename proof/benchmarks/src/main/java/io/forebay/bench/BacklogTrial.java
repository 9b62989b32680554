/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.Contender.Performing;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * One contender of the backlog benchmark in its own process: a warm-up, then all messages are
 * written, then all are drained and checked.
 */
final class BacklogTrial {

  static final String COMMAND = "backlog-trial";
  static final String ACCEPTED = "accepted/s";
  static final String DRAINED = "drained/s";

  /** What is added to the name of a figure for the first and for the last tenth of the messages. */
  static final String FIRST = ", first tenth";

  static final String LAST = ", last tenth";

  /** Memory of the process that is not a page of a file: heap, stacks, code, buffers; at most. */
  static final String MEMORY = "own memory MB";

  private static final int TENTHS = 10;
  private static final int SLICES = 5;
  private static final long IDLE_NANOS = 100_000;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

  /** How long to look for drained messages that should not exist. */
  private static final long LATE_NANOS = 50_000_000;

  private static final Path STATUS = Path.of("/proc/self/status");

  private final Performing contender;
  private final Tally tally = new Tally();
  private final Rounds figures = new Rounds();
  private double memory;

  BacklogTrial(Performing contender) {
    this.contender = contender;
  }

  static void main(List<String> arguments) throws Exception {
    Options options =
        new Options(
            arguments, "--contender NAME --folder DIR --postgres URL --messages N --warmup N");
    Testbed.endWithParent();
    BacklogContender name =
        Benchmark.named(options.required("contender"), BacklogContender.values());
    try (Performing contender =
        name.open(Path.of(options.required("folder")), options.text("postgres").orElse(null))) {
      Rounds figures =
          new BacklogTrial(contender)
              .run(options.count("warmup").orElseThrow(), options.count("messages").orElseThrow());
      System.out.println(figures.line());
    }
  }

  Rounds run(long warmup, long messages) throws Exception {
    Burst first = Burst.plain(0, warmup);
    begin(first);
    contender.write(first);
    contender.hold(false);
    drain(warmup);
    contender.check(first, tally);

    Burst all = Burst.plain(warmup, warmup + messages);
    begin(all);
    measure(ACCEPTED, all, contender::write);
    contender.hold(false);
    measure(DRAINED, all, part -> drain(part.to() - all.from()));
    long start = System.nanoTime();
    while (System.nanoTime() - start < LATE_NANOS) {
      contender.pollResults(tally);
    }
    contender.check(all, tally);
    return figures.add(MEMORY, memory);
  }

  private void begin(Burst burst) throws SQLException {
    contender.effects().clear();
    contender.hold(true);
    tally.expect(burst.count());
  }

  @FunctionalInterface
  private interface Step {
    void take(Burst part) throws Exception;
  }

  /** Takes a step for each part of the messages, and adds the rates. */
  private void measure(String figure, Burst all, Step step) throws Exception {
    double[] seconds = new double[TENTHS];
    for (int i = 0; i < TENTHS; i++) {
      Burst tenth = all.part(i, TENTHS);
      long start = System.nanoTime();
      for (int slice = 0; slice < SLICES; slice++) {
        step.take(tenth.part(slice, SLICES));
        memory = Math.max(memory, ownMegabytes());
      }
      seconds[i] = (System.nanoTime() - start) / 1e9;
      System.out.printf(Locale.ROOT, "      %s %,.0f%n", figure, tenth.count() / seconds[i]);
    }
    figures.add(figure, all.count() / Arrays.stream(seconds).sum());
    figures.add(figure + FIRST, all.part(0, TENTHS).count() / seconds[0]);
    figures.add(figure + LAST, all.part(TENTHS - 1, TENTHS).count() / seconds[TENTHS - 1]);
  }

  /** Drains until at least so many messages were drained in all. */
  private void drain(long messages) throws TimeoutException {
    long progress = System.nanoTime();
    while (tally.read() < messages) {
      if (contender.pollResults(tally) > 0) {
        progress = System.nanoTime();
      } else if (System.nanoTime() - progress > PATIENCE_NANOS) {
        throw new TimeoutException(
            "%d of %d messages were drained, and none for %d s"
                .formatted(tally.read(), messages, TimeUnit.NANOSECONDS.toSeconds(PATIENCE_NANOS)));
      } else {
        LockSupport.parkNanos(IDLE_NANOS);
      }
    }
  }

  private static double ownMegabytes() throws IOException {
    if (!Files.exists(STATUS)) {
      return Double.NaN;
    }
    try (Stream<String> lines = Files.lines(STATUS)) {
      return lines
          .filter(it -> it.startsWith("RssAnon:"))
          .mapToDouble(it -> Double.parseDouble(it.replaceAll("\\D", "")) * 1024 / 1e6)
          .max()
          .orElse(Double.NaN);
    }
  }
}
