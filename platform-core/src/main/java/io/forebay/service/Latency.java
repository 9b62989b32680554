/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.PackedHistogram;

/**
 * The time from a message's acceptance (its append time) to each station, in nanoseconds with three
 * digits. If another process appended the message, its append time is in microseconds and by the
 * clock of that process. Thread-safe.
 */
public final class Latency {

  private static final int DIGITS = 3;
  private static final long HIGHEST_NANOS = TimeUnit.HOURS.toNanos(24);

  private final Map<Integer, OfPartition> partitions = new ConcurrentHashMap<>();

  /**
   * The values recorded since the previous snapshot.
   *
   * @param read from acceptance until the service began to perform it; if the component is {@link
   *     BatchAware}, until its batch was read
   * @param performing from then until the component had done its work, with all tries
   * @param performed from acceptance until the component had done its work
   * @param answered from acceptance until its result was in the out-queue
   */
  public record Snapshot(
      Histogram read, Histogram performing, Histogram performed, Histogram answered) {

    private static Snapshot recording() {
      return of(Histogram::new);
    }

    /** One without values, to which others are added. */
    public static Snapshot sum() {
      return of(PackedHistogram::new);
    }

    /** Its histograms grow with the largest value that they have to take. */
    private static Snapshot of(IntFunction<Histogram> empty) {
      Snapshot made =
          new Snapshot(
              empty.apply(DIGITS), empty.apply(DIGITS), empty.apply(DIGITS), empty.apply(DIGITS));
      Stream.of(made.read, made.performing, made.performed, made.answered)
          .forEach(it -> it.setAutoResize(true));
      return made;
    }

    /** Adds the values of another one to this one. */
    public void add(Snapshot other) {
      read.add(other.read);
      performing.add(other.performing);
      performed.add(other.performed);
      answered.add(other.answered);
    }
  }

  /** Returns the values recorded since the last call. */
  public Snapshot takeSnapshot() {
    Snapshot all = Snapshot.sum();
    partitions.values().forEach(it -> all.add(it.take()));
    return all;
  }

  OfPartition of(int partition) {
    return partitions.computeIfAbsent(partition, _ -> new OfPartition());
  }

  /** The latencies of one partition, whose thread records a batch under one lock. */
  static final class OfPartition {

    private Snapshot current = Snapshot.recording();

    synchronized void record(Times times, int count, long answeredNanos) {
      for (int i = 0; i < count; i++) {
        long accepted = times.accepted[i];
        record(current.read, times.begun[i] - accepted);
        record(current.performing, times.performed[i] - times.begun[i]);
        record(current.performed, times.performed[i] - accepted);
        record(current.answered, answeredNanos - accepted);
      }
    }

    /**
     * Values out of range are recorded at the end of the range, so that a step of the wall clock
     * does not stop a service.
     */
    private static void record(Histogram histogram, long nanos) {
      histogram.recordValue(Math.clamp(nanos, 0, HIGHEST_NANOS));
    }

    private synchronized Snapshot take() {
      Snapshot taken = current;
      current = Snapshot.recording();
      return taken;
    }
  }

  /** When each message of a batch was accepted, begun and performed, in nanoseconds since 1970. */
  static final class Times {

    final long[] accepted;
    final long[] begun;
    final long[] performed;

    Times(int maxBatch) {
      accepted = new long[maxBatch];
      begun = new long[maxBatch];
      performed = new long[maxBatch];
    }
  }
}
