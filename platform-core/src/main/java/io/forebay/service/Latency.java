/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * The time from a message's acceptance (its append time) to each station, in microseconds. The
 * threads of the partitions record it; one other thread at a time may call {@link #takeSnapshot()}.
 */
public final class Latency {

  private static final long HIGHEST_MICROS = 24L * 3600 * 1_000_000;

  private final Recorder read = new Recorder(HIGHEST_MICROS, 2);
  private final Recorder performed = new Recorder(HIGHEST_MICROS, 2);
  private final Recorder answered = new Recorder(HIGHEST_MICROS, 2);

  /**
   * The values recorded since the previous snapshot.
   *
   * @param read from acceptance until read by the service
   * @param performed from acceptance until the component had done its work
   * @param answered from acceptance until its result was in the out-queue
   */
  public record Snapshot(Histogram read, Histogram performed, Histogram answered) {}

  /** Returns the values recorded since the last call and resets the recorders. */
  public Snapshot takeSnapshot() {
    return new Snapshot(
        read.getIntervalHistogram(),
        performed.getIntervalHistogram(),
        answered.getIntervalHistogram());
  }

  void record(long[] acceptedMicros, int count, Times times) {
    record(read, acceptedMicros, count, times.readMicros());
    record(performed, acceptedMicros, count, times.performedMicros());
    record(answered, acceptedMicros, count, times.answeredMicros());
  }

  /**
   * Values out of range are recorded at the end of the range, so that a step of the wall clock does
   * not stop a service.
   */
  private static void record(Recorder recorder, long[] acceptedMicros, int count, long nowMicros) {
    for (int i = 0; i < count; i++) {
      recorder.recordValue(Math.clamp(nowMicros - acceptedMicros[i], 0, HIGHEST_MICROS));
    }
  }

  record Times(long readMicros, long performedMicros, long answeredMicros) {}
}
