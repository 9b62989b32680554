/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.bench.sweep.PacedLoad;
import java.time.Duration;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Messages at a fixed rate from one thread to another. Each carries the time at which it was due,
 * so a writer that stalls makes all messages late that were due meanwhile.
 */
final class TailLoad extends PacedLoad implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofMinutes(2);

  /** The percentiles that are reported beside the worst message. */
  private static final List<String> PERCENTILES =
      List.of("50", "90", "99", "99.7", "99.9", "99.97", "99.99", "99.999");

  private final TailContender.Way way;
  private final boolean reading;
  private final Thread reader = Thread.ofPlatform().name("tail-reader").unstarted(this::read);
  private volatile boolean closed;

  /**
   * @param reading whether a message counts when it is read; otherwise when it is written, and
   *     nothing reads
   */
  TailLoad(TailContender.Way way, boolean reading) {
    super(PATIENCE);
    this.way = way;
    this.reading = reading;
    if (reading) {
      reader.start();
    }
  }

  @Override
  protected void send(long due) {
    way.write(due);
    if (!reading) {
      completed(due);
    }
  }

  private void read() {
    try {
      while (!closed) {
        long due = way.read();
        if (due < 0) {
          Thread.onSpinWait();
        } else {
          completed(due);
        }
      }
    } catch (Throwable e) {
      failed(e);
    }
  }

  Rounds measure(long perSecond, double seconds) throws InterruptedException {
    Histogram nanos = run(perSecond, Duration.ofMillis((long) (1e3 * seconds))).nanos();
    Rounds figures = new Rounds();
    for (String percent : PERCENTILES) {
      figures.add(percent + " % µs", nanos.getValueAtPercentile(Double.parseDouble(percent)) / 1e3);
    }
    return figures
        .add("worst µs", nanos.getMaxValue() / 1e3)
        .add("messages", nanos.getTotalCount());
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    reader.join();
  }
}
