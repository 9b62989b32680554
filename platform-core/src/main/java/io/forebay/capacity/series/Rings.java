/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.series;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Some series, each in steps of 1 s, 10 s and 1 min, in memory that is allocated once, 29 kB for
 * each. Every step is computed from the samples, never from shorter steps. Thread-safe.
 */
public final class Rings {

  /**
   * If the clock was set back by less than this, the history is kept and samples are dropped until
   * the clock catches up.
   */
  static final Duration SET_BACK = Duration.ofSeconds(10);

  private static final Duration LONG_MEAN = Duration.ofMinutes(5);

  private final Map<Measure, List<Tier>> series = new EnumMap<>(Measure.class);
  private long latest = Long.MIN_VALUE;

  /** Keeps seconds for 1 hour, steps of 10 s for 6 hours, and minutes for 24 hours. */
  public Rings(Set<Measure> measures) {
    this(measures, Duration.ofHours(1), Duration.ofHours(6), Duration.ofHours(24));
  }

  Rings(Set<Measure> measures, Duration seconds, Duration tens, Duration minutes) {
    for (Measure measure : measures) {
      series.put(
          measure,
          List.of(tier(1, seconds, measure), tier(10, tens, measure), tier(60, minutes, measure)));
    }
  }

  private static Tier tier(int stepSeconds, Duration reach, Measure measure) {
    return new Tier(stepSeconds, (int) (reach.toSeconds() / stepSeconds), measure.merge);
  }

  /**
   * Begins the second of a sample.
   *
   * @return whether to record it: false if a later sample was recorded, unless the clock was set
   *     back by more than {@link #SET_BACK}
   */
  public synchronized boolean begin(Instant at) {
    long second = at.getEpochSecond();
    if (second < latest && latest - second <= SET_BACK.toSeconds()) {
      return false;
    }
    if (second < latest) {
      series.values().forEach(tiers -> tiers.forEach(tier -> tier.forgetAfter(second)));
    }
    latest = second;
    return true;
  }

  /** Records a value in the current second; NaN for a gap. */
  public synchronized void add(Measure measure, double value) {
    for (Tier tier : tiers(measure)) {
      tier.add(latest, value);
    }
  }

  /**
   * The steps that begin in [from, to). If steps of the requested length do not reach back far
   * enough, returns the shortest that do.
   */
  public synchronized Points read(Measure measure, Instant from, Instant to, Duration step) {
    Tier chosen = null;
    for (Tier tier : tiers(measure)) {
      chosen = tier;
      if (tier.stepSeconds >= step.toSeconds() && tier.reaches(from.getEpochSecond())) {
        break;
      }
    }
    return java.util.Objects.requireNonNull(chosen)
        .read(from.getEpochSecond(), to.getEpochSecond());
  }

  /**
   * The mean of the values in (to - length, to]; NaN if there are none. Uses steps of 10 s for more
   * than five minutes, which is a tenth of the work.
   */
  public double mean(Measure measure, Instant to, Duration length) {
    Instant end = to.plusSeconds(1);
    long step = length.compareTo(LONG_MEAN) > 0 ? 10 : 1;
    return read(measure, end.minus(length), end, Duration.ofSeconds(step)).mean();
  }

  private List<Tier> tiers(Measure measure) {
    List<Tier> tiers = series.get(measure);
    if (tiers == null) {
      throw new IllegalArgumentException(
          "%s is not recorded here (recorded=%s)".formatted(measure, series.keySet()));
    }
    return tiers;
  }
}
