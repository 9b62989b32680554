/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import io.forebay.capacity.Volume;
import io.forebay.capacity.series.Points;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A straight line through the last minutes of a volume that fills quickly, whoever fills it. It is
 * believed only for a time that is short compared to the minutes it was drawn from: what a burst
 * does in two minutes does not say what happens tomorrow. {@link GrowthForecast} does that.
 *
 * @param bytesPerSecond how fast the used bytes grow
 * @param over the time in which they were measured
 */
record RecentGrowth(double bytesPerSecond, Duration over) {

  private static final Duration STEP = Duration.ofSeconds(10);

  /** The share of a window that must have been sampled. */
  private static final double COVERED = 0.75;

  /** How far the edges of the band are from the line, as a factor on the growth. */
  private static final double BAND = 2;

  /**
   * @param over the time in which the growth is measured
   * @param within the longest time until full for which it is believed
   */
  private record Window(Duration over, Duration within) {}

  private static final List<Window> WINDOWS =
      List.of(
          new Window(Duration.ofMinutes(2), Duration.ofMinutes(30)),
          new Window(Duration.ofMinutes(10), Duration.ofHours(2)));

  /** Reads the used bytes of a volume. */
  interface Used {
    Points read(Instant from, Instant to, Duration step);
  }

  /** The growth that fills the volume soonest; empty if none is believed to fill it. */
  static Optional<RecentGrowth> of(Volume volume, Used used, Instant now) {
    @Nullable RecentGrowth fastest = null;
    for (Window window : WINDOWS) {
      @Nullable RecentGrowth growth = measure(used.read(now.minus(window.over()), now, STEP));
      if (growth != null
          && growth.over().toMillis() >= COVERED * window.over().toMillis()
          && volume.freeBytes() <= growth.bytesPerSecond() * window.within().toSeconds()
          && (fastest == null || growth.bytesPerSecond() > fastest.bytesPerSecond())) {
        fastest = growth;
      }
    }
    return Optional.ofNullable(fastest);
  }

  private static @Nullable RecentGrowth measure(Points used) {
    int first = 0;
    int last = used.size() - 1;
    while (first <= last && Float.isNaN(used.raw(first))) {
      first++;
    }
    while (last > first && Float.isNaN(used.raw(last))) {
      last--;
    }
    double grown = first < last ? used.raw(last) - used.raw(first) : 0;
    return grown <= 0
        ? null
        : new RecentGrowth(
            grown / Duration.between(used.time(first), used.time(last)).toSeconds(),
            Duration.between(used.time(first), used.time(last)));
  }

  /** The forecast if it goes on like this: nothing is freed beyond what was freed meanwhile. */
  FillForecast forecast(Volume volume, Instant now) {
    return new FillForecast(
        walk(volume, now, 1), walk(volume, now, BAND), walk(volume, now, 1 / BAND), 1, true);
  }

  private FillWalk.End walk(Volume volume, Instant now, double times) {
    Outlook alone = new Outlook(volume, List.of(), Optional.empty(), Map.of());
    long minute = Math.floorDiv(now.getEpochSecond(), 60);
    return new FillWalk(alone, GrowthForecast.steady(minute, bytesPerSecond * times), 0, now)
        .walk(1);
  }
}
