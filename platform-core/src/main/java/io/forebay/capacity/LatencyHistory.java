/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import io.forebay.capacity.series.PackedHistograms;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * The latencies of one station of a service: a histogram per minute of 6 hours and per hour of 24
 * hours, with two digits, compressed to a few hundred bytes each. The percentiles of a period are
 * those of its merged histograms. Thread-safe.
 */
public final class LatencyHistory {

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration HOUR = Duration.ofHours(1);

  private final PackedHistograms minutes = new PackedHistograms(MINUTE, 360);
  private final PackedHistograms hours = new PackedHistograms(HOUR, 24);

  /**
   * The percentiles of one step.
   *
   * @param from when it began
   */
  public record Step(Instant from, Percentiles percentiles) {}

  /**
   * Adds the values recorded since the previous call, in nanoseconds. Does not keep a reference to
   * the histogram.
   *
   * @param at when it was taken
   */
  public synchronized void add(Instant at, Histogram nanos) {
    minutes.add(at, nanos);
    hours.add(at, nanos);
  }

  /**
   * The percentiles of [from, to), by whole minutes, or by whole hours if it begins more than 6
   * hours ago.
   */
  public synchronized Percentiles percentiles(Instant from, Instant to) {
    return Percentiles.of(merged(from, to));
  }

  private Histogram merged(Instant from, Instant to) {
    return minutes.reaches(from) ? minutes.merged(from, to) : hours.merged(from, to);
  }

  /**
   * The percentiles of the steps of [from, to), including steps without values.
   *
   * @param step at least a minute; at least an hour if the period begins more than 6 hours ago
   */
  public synchronized List<Step> steps(Instant from, Instant to, Duration step) {
    List<Step> steps = new ArrayList<>();
    Duration least = minutes.reaches(from) ? MINUTE : HOUR;
    Duration taken = step.compareTo(least) < 0 ? least : step;
    PackedHistograms kept = minutes.reaches(from) ? minutes : hours;
    long seconds = taken.toSeconds();
    Instant begin = Instant.ofEpochSecond(Math.floorDiv(from.getEpochSecond(), seconds) * seconds);
    for (Instant at = begin; at.isBefore(to); at = at.plusSeconds(seconds)) {
      steps.add(new Step(at, Percentiles.of(kept.merged(at, at.plusSeconds(seconds)))));
    }
    return steps;
  }
}
