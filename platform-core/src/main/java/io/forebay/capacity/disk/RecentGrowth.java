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

  private static final Duration STEP = Duration.ofSeconds(1);

  /** The share of a window that must have been sampled. */
  private static final double COVERED = 0.75;

  /** The growth of so short a time may replace that of the window. */
  private static final double LATELY_SECONDS = 12;

  /** The volume has grown in a step if it did by this share of the mean growth. */
  private static final double RISES = 0.1;

  private static final double SLOWER = 0.5;

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
    Line line = line(used);
    return line == null || line.lately() <= 0
        ? null
        : new RecentGrowth(line.isSlowing() ? line.lately() : line.mean(), line.over());
  }

  /** Whether the volume has grown, and in the last seconds by less than half of that rate. */
  static boolean isSlowing(Points used) {
    Line line = line(used);
    return line != null && line.isSlowing();
  }

  /**
   * Growth in bytes per second.
   *
   * @param lately that of the last seconds
   */
  private record Line(double mean, double lately, Duration over) {

    boolean isSlowing() {
      return lately < SLOWER * mean;
    }
  }

  /** Null if it has not grown. */
  private static @Nullable Line line(Points used) {
    int first = 0;
    int last = used.size() - 1;
    while (first <= last && Float.isNaN(used.raw(first))) {
      first++;
    }
    while (last > first && Float.isNaN(used.raw(last))) {
      last--;
    }
    double grown = first < last ? used.raw(last) - used.raw(first) : 0;
    if (grown <= 0) {
      return null;
    }
    Duration over = Duration.between(used.time(first), used.time(last));
    double mean = grown / over.toSeconds();
    return new Line(mean, lately(used, first, last, mean), over);
  }

  /**
   * The growth in the last 12 s, so that a forecast ends with the burst that it was drawn from; of
   * a volume that grows in leaps, in three times the longest time between two of them.
   */
  private static double lately(Points used, int first, int last, double mean) {
    double step = used.step().toSeconds();
    int before = first;
    int rise = -1; // what came before the first one is no time between two
    int longest = 0;
    for (int i = first + 1; i <= last; i++) {
      if (!Float.isNaN(used.raw(i))) {
        if (used.raw(i) - used.raw(before) > RISES * mean * step * (i - before)) {
          longest = rise < 0 ? 0 : Math.max(longest, i - rise);
          rise = i;
        }
        before = i;
      }
    }
    int from =
        Math.max(first, last - (int) Math.ceil(Math.max(LATELY_SECONDS / step, 3 * longest)));
    while (from > first && Float.isNaN(used.raw(from))) {
      from--;
    }
    return (used.raw(last) - used.raw(from)) / (step * (last - from));
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
