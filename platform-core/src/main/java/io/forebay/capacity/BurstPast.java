/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import io.forebay.capacity.series.Measure;
import io.forebay.capacity.series.Points;
import io.forebay.capacity.series.RingLengths;
import io.forebay.capacity.series.Rings;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The bursts of the last 7 days. Reading 10,080 minutes is too expensive to do every second, so the
 * figures are computed once a minute.
 */
final class BurstPast {

  private static final Duration PAST = Duration.ofDays(7);
  private static final Duration USUAL = Duration.ofMinutes(5);
  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final Duration FRESH = Duration.ofSeconds(10);

  private @Nullable Instant backlogRead;
  private Optional<Double> backlog = Optional.empty();
  private @Nullable Instant minutesRead;
  private float[] sortedMinutes = new float[0];
  private Points minutes = new Points(0, 60, sortedMinutes);
  private double typicalFor = Double.NaN;
  private Figure<Duration> typical = Figure.unknown("not computed");

  /** The rate under the latest backlog, searched in the shortest steps first. */
  Optional<Double> underBacklog(Rings rings, RingLengths lengths, Instant now) {
    if (stale(backlogRead, now, FRESH)) {
      backlogRead = now;
      backlog =
          under(rings, now, lengths.seconds(), Duration.ofSeconds(1))
              .or(() -> under(rings, now, lengths.tens(), Duration.ofSeconds(10)))
              .or(() -> under(rings, now, PAST, MINUTE));
    }
    return backlog;
  }

  private static Optional<Double> under(Rings rings, Instant now, Duration back, Duration step) {
    Instant end = now.plusSeconds(1);
    Instant from = end.minus(back).plus(step);
    return DatabaseRate.latestUnderBacklog(
        rings.read(Measure.PERFORMED, from, end, step),
        rings.read(Measure.UNPERFORMED, from, end, step),
        rings.read(Measure.BUSY, from, end, step));
  }

  /** The 99.9th percentile of the intake of the minutes of 7 days, messages per second. */
  Figure<Double> rareMinute(Rings rings, Instant now) {
    refresh(rings, now);
    int n = sortedMinutes.length;
    return n < 1000
        ? Figure.unknown("the 99.9th percentile needs 1,000 minutes of samples, has " + n)
        : Figure.measured((double) sortedMinutes[(int) Math.ceil(0.999 * n) - 1]);
  }

  /** The 95th percentile of the lengths of stretches above a rate. */
  Figure<Duration> typicalLength(Rings rings, Instant now, double databaseRate) {
    refresh(rings, now);
    if (typicalFor != databaseRate) {
      typicalFor = databaseRate;
      typical = typicalLength(minutes, databaseRate);
    }
    return typical;
  }

  static Figure<Duration> typicalLength(Points minutes, double databaseRate) {
    int[] stretches = new int[minutes.size()];
    int count = 0;
    int length = 0;
    for (int i = 0; i <= minutes.size(); i++) {
      if (i < minutes.size() && minutes.raw(i) > databaseRate) {
        length++;
      } else if (length > 0) {
        stretches[count++] = length;
        length = 0;
      }
    }
    if (count == 0) {
      return Figure.estimated(USUAL, "no burst in 7 days");
    }
    Arrays.sort(stretches, 0, count);
    return Figure.measured(Duration.ofMinutes(stretches[(int) Math.ceil(0.95 * count) - 1]));
  }

  private void refresh(Rings rings, Instant now) {
    if (!stale(minutesRead, now, MINUTE)) {
      return;
    }
    minutesRead = now;
    typicalFor = Double.NaN;
    minutes = rings.read(Measure.ACCEPTED, now.minus(PAST), now, MINUTE);
    float[] known = new float[minutes.size()];
    int n = 0;
    for (int i = 0; i < minutes.size(); i++) {
      if (!Float.isNaN(minutes.raw(i))) {
        known[n++] = minutes.raw(i);
      }
    }
    sortedMinutes = Arrays.copyOf(known, n);
    Arrays.sort(sortedMinutes);
  }

  private static boolean stale(@Nullable Instant read, Instant now, Duration fresh) {
    return read == null || now.isBefore(read) || Duration.between(read, now).compareTo(fresh) >= 0;
  }
}
