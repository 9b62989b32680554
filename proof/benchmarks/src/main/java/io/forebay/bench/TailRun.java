/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * Messages at a fixed rate from one thread to another. Each carries the time at which it was due,
 * not the time at which it was written, so a writer that stalls makes all messages late that were
 * due meanwhile (no coordinated omission).
 */
final class TailRun {

  /** The percentiles that are reported, and the worst message. */
  static final Map<String, Double> PERCENTILES = percentiles();

  private static final long SLOWEST_NANOS = 100_000_000_000L;
  private static final long END = Long.MAX_VALUE;

  /** How long the writing thread was neither running nor waiting for a processor. */
  static final String BLOCKED = "writerBlockedMicros";

  private static final Path SCHEDULED = Path.of("/proc/thread-self/schedstat");

  private final TailContender.Way way;
  private final long perSecond;
  private final boolean reading;
  private final Histogram nanos = new Histogram(SLOWEST_NANOS, 3);
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private long slowestNanos;

  /**
   * @param reading whether a message counts when it is read; otherwise when it is written, and
   *     nothing reads
   */
  TailRun(TailContender.Way way, long perSecond, boolean reading) {
    this.way = way;
    this.perSecond = perSecond;
    this.reading = reading;
  }

  private static Map<String, Double> percentiles() {
    Map<String, Double> names = new LinkedHashMap<>();
    for (String percent :
        new String[] {"50", "90", "99", "99.7", "99.9", "99.97", "99.99", "99.999"}) {
      names.put("p" + percent + "Micros", Double.parseDouble(percent));
    }
    names.put("worstMicros", 100.0);
    return names;
  }

  /** Measures; the messages of the warm-up are not counted. */
  Rounds measure(double warmupSeconds, double seconds) throws InterruptedException, IOException {
    long begin = System.nanoTime() + 10_000_000;
    long counted = begin + (long) (warmupSeconds * 1e9);
    Thread reader =
        Thread.ofPlatform()
            .name("tail-reader")
            .uncaughtExceptionHandler((thread, e) -> failure.set(e))
            .unstarted(() -> read(counted));
    if (reading) {
      reader.start();
    }
    write(begin, counted, begin);
    long before = offProcessorNanos();
    write(counted, counted + (long) (seconds * 1e9), begin);
    long after = offProcessorNanos();
    way.write(END);
    reader.join();
    if (failure.get() != null) {
      throw new IllegalStateException("the reader failed", failure.get());
    }
    Rounds figures = new Rounds();
    PERCENTILES.forEach(
        (name, percent) -> figures.add(name, nanos.getValueAtPercentile(percent) / 1e3));
    figures.add("slowestWriteMicros", slowestNanos / 1e3);
    if (before >= 0) {
      figures.add(BLOCKED, Math.max(0, after - before) / 1e3);
    }
    figures.add("messages", nanos.getTotalCount());
    return figures;
  }

  private void read(long counted) {
    long due;
    do {
      due = way.read();
      if (due < 0) {
        Thread.onSpinWait();
      } else if (due >= counted && due != END) {
        nanos.recordValue(Math.clamp(System.nanoTime() - due, 0, SLOWEST_NANOS));
      }
    } while (due != END);
  }

  /** Writes the messages that are due in a time; the first one ever was due at {@code begin}. */
  private void write(long from, long to, long begin) {
    double step = 1e9 / perSecond;
    boolean counts = from > begin;
    long number = (long) Math.ceil((from - begin) / step);
    for (long due = at(begin, number, step);
        due < to && failure.get() == null;
        due = at(begin, ++number, step)) {
      long now = System.nanoTime();
      while (now < due) {
        Thread.onSpinWait();
        now = System.nanoTime();
      }
      way.write(due);
      if (counts) {
        long done = System.nanoTime();
        slowestNanos = Math.max(slowestNanos, done - now);
        if (!reading) {
          nanos.recordValue(Math.clamp(done - due, 0, SLOWEST_NANOS));
        }
      }
    }
  }

  private static long at(long begin, long number, double step) {
    return begin + (long) (number * step);
  }

  /** The time at which this thread was blocked so far, with an unknown offset; -1 if unknown. */
  private static long offProcessorNanos() throws IOException {
    if (!Files.exists(SCHEDULED)) {
      return -1;
    }
    String[] words = Files.readString(SCHEDULED).split(" ");
    return System.nanoTime() - Long.parseLong(words[0]) - Long.parseLong(words[1]);
  }
}
