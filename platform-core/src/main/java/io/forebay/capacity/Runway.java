/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * When a disk will be full: the forecast, and the band that nine of ten forecasts kept to. Decide
 * by {@link #low}.
 *
 * @param middle the forecast; never means not within 30 days
 * @param low the early edge of the band
 * @param high the late edge of the band
 * @param peakShare of the size of the volume, the most that is used within 30 days or until it is
 *     full
 * @param peakAt when that is
 * @param confidence by the width of the band
 */
public record Runway(
    Until middle, Until low, Until high, double peakShare, Instant peakAt, Confidence confidence) {

  /** How far a forecast looks. */
  public static final Duration HORIZON = Duration.ofDays(30);

  /** By the width of the band, late edge over early edge. */
  public enum Confidence {
    /** At most 1.6. */
    HIGH,
    /** At most 3. */
    MEDIUM,
    /** Wider, or it may or may not ever be full. */
    LOW,
    /** There is not enough history for a band that was checked against the past. */
    ROUGH;

    static Confidence of(Until low, Until high) {
      if (low instanceof Until.Never || low instanceof Until.Passed) {
        return HIGH;
      }
      if (high instanceof Until.Never) {
        return LOW;
      }
      double width = Lag.seconds(high.left().orElseThrow()) / Lag.seconds(low.left().orElseThrow());
      return width <= 1.6 ? HIGH : width <= 3 ? MEDIUM : LOW;
    }
  }

  /**
   * What will be used of the volume, in bytes, in equal steps; where it is full it stays at the
   * mark where accepting stops. Each line is full when its edge of the runway says so, within a
   * step.
   *
   * @param first now
   * @param middle the forecast; as many values as the others
   * @param low the least of the band, full at {@link Runway#high}
   * @param high the most of the band, full at {@link Runway#low}
   */
  public record Curve(
      Instant first, Duration step, List<Double> middle, List<Double> low, List<Double> high) {

    public Curve {
      middle = List.copyOf(middle);
      low = List.copyOf(low);
      high = List.copyOf(high);
    }
  }

  /**
   * How often the band was right, found by making each forecast again from nothing but what was
   * known at its time.
   *
   * @param right past forecasts whose band held the truth
   * @param of past forecasts whose truth is known
   */
  public record HitRate(int right, int of) {

    public double share() {
      return (double) right / of;
    }
  }
}
