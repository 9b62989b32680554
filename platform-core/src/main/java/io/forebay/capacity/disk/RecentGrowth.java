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
 * A straight line through the last seconds or minutes of a volume that fills quickly, whoever fills
 * it. It is believed only for a time that is short compared to that from which it was drawn: what a
 * burst does in two minutes does not say what happens tomorrow. {@link GrowthForecast} does that.
 * The line begins anew when much space is freed.
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

  /** Growth of the last seconds counts if the volume has grown in that many of them. */
  private static final int LASTING_SECONDS = 5;

  /** The same, if it fills the volume within {@link #SOON}. */
  private static final int LASTING_SECONDS_IF_SOON = 3;

  /** A fall of the used bytes by this share of what may be used begins the line anew. */
  private static final double FREED = 0.01;

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

  private static final Window SECONDS =
      new Window(Duration.ofSeconds((long) LATELY_SECONDS), Duration.ofMinutes(5));

  private static final Window SOON =
      new Window(Duration.ofSeconds((long) LATELY_SECONDS), Duration.ofMinutes(2));

  /** Reads the used bytes of a volume. */
  interface Used {
    Points read(Instant from, Instant to, Duration step);
  }

  /** The growth that fills the volume soonest; empty if none is believed to fill it. */
  static Optional<RecentGrowth> of(Volume volume, Used used, Instant now) {
    Instant end = now.plus(STEP);
    Points seconds = sinceFreed(used.read(now.minus(SECONDS.over()), end, STEP), volume);
    @Nullable RecentGrowth fastest = ofSeconds(seconds, LASTING_SECONDS, volume, SECONDS);
    if (fastest == null) {
      fastest = ofSeconds(seconds, LASTING_SECONDS_IF_SOON, volume, SOON);
    }
    for (Window window : WINDOWS) {
      @Nullable RecentGrowth growth =
          measure(sinceFreed(used.read(now.minus(window.over()), end, STEP), volume));
      if (growth != null
          && growth.over().toMillis() >= COVERED * window.over().toMillis()
          && growth.fills(volume, window)
          && (fastest == null || growth.bytesPerSecond() > fastest.bytesPerSecond())) {
        fastest = growth;
      }
    }
    return Optional.ofNullable(fastest);
  }

  private boolean fills(Volume volume, Window window) {
    return volume.freeBytes() <= bytesPerSecond * window.within().toSeconds();
  }

  /** The points from the one on at which much space was freed last; all if none was. */
  private static Points sinceFreed(Points used, Volume volume) {
    int from = 0;
    double most = Double.NEGATIVE_INFINITY;
    for (int i = 0; i < used.size(); i++) {
      float value = used.raw(i);
      if (most - value > FREED * volume.stopBytes()) {
        from = i;
        most = value;
      } else if (value > most) {
        most = value;
      }
    }
    return from == 0 ? used : used.from(from);
  }

  /**
   * The fastest growth that has lasted until now for this time, up to 12 s. Null if the volume has
   * grown in fewer steps of it, since one leap is no growth that lasts, or if it does not fill it.
   */
  private static @Nullable RecentGrowth ofSeconds(
      Points used, int lasting, Volume volume, Window window) {
    double step = used.step().toSeconds();
    int last = known(used, used.size() - 1);
    double fastest = 0;
    double over = 0;
    for (int from = last - 1; from >= 0; from--) {
      double seconds = step * (last - from);
      double mean = (used.raw(last) - used.raw(from)) / seconds;
      if (mean > fastest && seconds >= lasting && rises(used, from, last, mean) >= lasting) {
        fastest = mean;
        over = seconds;
      }
    }
    RecentGrowth growth = new RecentGrowth(fastest, Duration.ofSeconds((long) over));
    return fastest > 0 && growth.fills(volume, window) ? growth : null;
  }

  /** The steps in which it has grown by a tenth of the mean or more. */
  private static int rises(Points used, int from, int to, double mean) {
    int rises = 0;
    int before = from;
    for (int i = from + 1; i <= to; i++) {
      if (isRise(used, before, i, mean)) {
        rises++;
      }
      before = Float.isNaN(used.raw(i)) ? before : i;
    }
    return rises;
  }

  private static boolean isRise(Points used, int from, int to, double mean) {
    return used.raw(to) - used.raw(from) > RISES * mean * used.step().toSeconds() * (to - from);
  }

  /** The last known value up to this one; -1 if there is none. */
  static int known(Points used, int to) {
    int last = to;
    while (last >= 0 && Float.isNaN(used.raw(last))) {
      last--;
    }
    return last;
  }

  private static @Nullable RecentGrowth measure(Points used) {
    Line line = line(used);
    return line == null || line.lately() <= 0
        ? null
        : new RecentGrowth(line.isSlowing() ? line.lately() : line.mean(), line.over());
  }

  /**
   * Whether a burst is over: much space was freed, or in the last seconds the volume has grown by
   * less than half of its rate.
   */
  static boolean isSlowing(Points used, Volume volume) {
    Line line = line(used);
    return sinceFreed(used, volume) != used || line != null && line.isSlowing();
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
    int last = known(used, used.size() - 1);
    while (first <= last && Float.isNaN(used.raw(first))) {
      first++;
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
        if (isRise(used, before, i, mean)) {
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

  /** What if that many bytes per second were added? */
  RecentGrowth with(double extraBytesPerSecond) {
    return new RecentGrowth(Math.max(0, bytesPerSecond + extraBytesPerSecond), over);
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
