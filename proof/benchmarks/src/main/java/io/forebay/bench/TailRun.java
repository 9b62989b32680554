/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

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

  private TailRun() {}

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
  static Rounds measure(TailContender.Way way, long perSecond, double warmupSeconds, double seconds)
      throws InterruptedException {
    Histogram nanos = new Histogram(SLOWEST_NANOS, 3);
    long begin = System.nanoTime() + 10_000_000;
    long counted = begin + (long) (warmupSeconds * 1e9);
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    Thread reader =
        Thread.ofPlatform()
            .name("tail-reader")
            .uncaughtExceptionHandler((thread, e) -> failure.set(e))
            .start(() -> read(way, counted, nanos));
    double written = write(way, perSecond, begin, counted + (long) (seconds * 1e9), failure);
    reader.join();
    if (failure.get() != null) {
      throw new IllegalStateException("the reader failed", failure.get());
    }
    Rounds figures = new Rounds();
    PERCENTILES.forEach(
        (name, percent) -> figures.add(name, nanos.getValueAtPercentile(percent) / 1e3));
    figures.add("slowestWriteMicros", written / 1e3);
    figures.add("messages", nanos.getTotalCount());
    return figures;
  }

  private static void read(TailContender.Way way, long counted, Histogram nanos) {
    long due;
    do {
      due = way.read();
      if (due < 0) {
        Thread.onSpinWait();
      } else if (due >= counted && due != END) {
        nanos.recordValue(Math.min(SLOWEST_NANOS, Math.max(0, System.nanoTime() - due)));
      }
    } while (due != END);
  }

  /** Returns the time of the slowest write. */
  private static long write(
      TailContender.Way way,
      long perSecond,
      long begin,
      long end,
      AtomicReference<@Nullable Throwable> failure) {
    double step = 1e9 / perSecond;
    long slowest = 0;
    long due = begin;
    for (long i = 0; due < end && failure.get() == null; i++) {
      due = begin + (long) (i * step);
      long now = System.nanoTime();
      while (now < due) {
        Thread.onSpinWait();
        now = System.nanoTime();
      }
      way.write(due);
      slowest = Math.max(slowest, System.nanoTime() - now);
    }
    way.write(END);
    return slowest;
  }
}
