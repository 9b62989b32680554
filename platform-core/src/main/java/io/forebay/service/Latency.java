/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/**
 * How long messages take from their acceptance (the append time they carry) to each station, in
 * microseconds. Recorded by the threads of the partitions; {@link #takeSnapshot()} may be called by
 * one other thread at a time.
 */
public final class Latency {

  private static final long HIGHEST_MICROS = 24L * 3600 * 1_000_000;

  private final Recorder read = new Recorder(HIGHEST_MICROS, 2);
  private final Recorder performed = new Recorder(HIGHEST_MICROS, 2);
  private final Recorder answered = new Recorder(HIGHEST_MICROS, 2);

  /**
   * What was recorded since the snapshot before.
   *
   * @param read accepted until read by the service
   * @param performed accepted until the component had done its work
   * @param answered accepted until its result was in the out-queue
   */
  public record Snapshot(Histogram read, Histogram performed, Histogram answered) {}

  /** Takes what was recorded since the last call and begins anew. */
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
   * A step of the wall clock must not stop a service: what is out of range is recorded at its end.
   */
  private static void record(Recorder recorder, long[] acceptedMicros, int count, long nowMicros) {
    for (int i = 0; i < count; i++) {
      recorder.recordValue(Math.clamp(nowMicros - acceptedMicros[i], 0, HIGHEST_MICROS));
    }
  }

  record Times(long readMicros, long performedMicros, long answeredMicros) {}
}
