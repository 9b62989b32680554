/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import io.forebay.capacity.series.Measure;
import io.forebay.capacity.series.Points;
import io.forebay.capacity.series.RingHistory;
import io.forebay.capacity.series.RingLengths;
import io.forebay.capacity.series.Rings;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Memory that waits to be written to disk, sampled once a second, and how fast the disk writes it:
 * the highest rate over 10 s in 24 hours while the kernel had to write back. At other times the
 * kernel writes only what is there, so the rate does not show what the disk can do. Thread-safe.
 */
public final class MemoryHistory extends RingHistory {

  private static final Duration PAST = Duration.ofHours(24);
  private static final Duration RATE = Duration.ofSeconds(10);
  private static final RingLengths LENGTHS = new RingLengths(Duration.ofMinutes(15), PAST, PAST);

  /**
   * The share of the calibrated rate that is used: a trial on an idle, empty disk measures more
   * than the disk sustains.
   */
  private static final double OF_CALIBRATED = 0.5;

  private final OptionalDouble calibrated;
  private final OptionalLong limit;
  private @Nullable MemorySample latest;
  private Figure<Double> fastest = Figure.unknown("not sampled yet");
  private @Nullable Instant fastestRead;

  /**
   * @param calibrated bytes per second written to this disk in a trial; half of it is used until a
   *     rate was measured
   * @param limit the memory limit of the container in bytes, if there is one
   */
  public MemoryHistory(OptionalDouble calibrated, OptionalLong limit) {
    super(new Rings(EnumSet.of(Measure.DIRTY, Measure.WRITTEN_BACK), LENGTHS));
    this.calibrated = calibrated;
    this.limit = limit;
  }

  public synchronized void add(MemorySample sample) {
    if (!rings.begin(sample.at())) {
      return;
    }
    MemorySample before = latest;
    latest = sample;
    rings.add(Measure.DIRTY, asDouble(sample.dirtyBytes()));
    rings.add(
        Measure.WRITTEN_BACK,
        before == null || !hasToWrite(before) || !hasToWrite(sample)
            ? Double.NaN
            : ServiceHistory.rate(
                before.at(), sample.at(), before.writtenBackBytes(), sample.writtenBackBytes()));
  }

  private static boolean hasToWrite(MemorySample sample) {
    return sample.dirtyBytes().isPresent()
        && sample.backgroundBytes().isPresent()
        && sample.dirtyBytes().getAsLong() > sample.backgroundBytes().getAsLong();
  }

  private static double asDouble(OptionalLong value) {
    return value.isPresent() ? value.getAsLong() : Double.NaN;
  }

  /** The current figures. In a container, slowing begins at its memory limit if that is lower. */
  public synchronized DirtyMemory now() {
    MemorySample sample = latest;
    if (sample == null) {
      return DirtyMemory.unknown("the kernel's figures have not been read yet");
    }
    return new DirtyMemory(
        figure(sample.dirtyBytes()),
        figure(sample.thresholdBytes())
            .with(figure(sample.backgroundBytes()), (full, begin) -> (full + begin) / 2)
            .map(slow -> Math.min(slow, limit.orElse(Long.MAX_VALUE))),
        writtenBack(sample.at()));
  }

  private static Figure<Long> figure(OptionalLong value) {
    return value.isPresent()
        ? Figure.measured(value.getAsLong())
        : Figure.unknown("host limit not visible");
  }

  private Figure<Double> writtenBack(Instant now) {
    Instant read = fastestRead;
    if (read == null || Duration.between(read, now).abs().compareTo(RATE) >= 0) {
      fastestRead = now;
      fastest = fastest(rings.read(Measure.WRITTEN_BACK, now.minus(PAST).plus(RATE), now, RATE));
    }
    return fastest;
  }

  private Figure<Double> fastest(Points rates) {
    double most = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < rates.size(); i++) {
      most = rates.raw(i) > most ? rates.raw(i) : most;
    }
    if (most > 0) {
      return Figure.measured(most);
    }
    return calibrated.isPresent()
        ? Figure.estimated(
            OF_CALIBRATED * calibrated.getAsDouble(),
            "half of the rate measured in the trial; memory was not under pressure in 24 hours")
        : Figure.unknown(
            "memory was not under pressure in 24 hours, and no trial measured the disk");
  }
}
