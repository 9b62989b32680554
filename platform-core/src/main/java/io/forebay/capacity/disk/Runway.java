/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import io.forebay.capacity.Lag;
import io.forebay.capacity.Until;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/**
 * When a disk will be full: the forecast and its band, which nine of ten forecasts met. Base
 * decisions on {@link #low}.
 *
 * @param middle the forecast; "never" means not within 30 days
 * @param low the early edge of the band
 * @param high the late edge of the band
 * @param peakShare the highest used share of the volume within 30 days or until it is full
 * @param peakAt when this share is reached
 * @param confidence derived from the width of the band
 */
public record Runway(
    Until middle, Until low, Until high, double peakShare, Instant peakAt, Confidence confidence) {

  /** How far a forecast looks. */
  public static final Duration HORIZON = Duration.ofDays(30);

  /** Derived from the width of the band: late edge divided by early edge. */
  public enum Confidence {
    /** At most 1.6. */
    HIGH,
    /** At most 3. */
    MEDIUM,
    /** Wider, or it is unclear whether the disk will ever be full. */
    LOW,
    /** There is too little history to check the band against the past. */
    ROUGH;

    public static Confidence of(Until low, Until high) {
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
   * The forecast use of the volume in bytes, in equal steps. From the time when it is full, it
   * stays at the mark where appends are refused. Each line reaches that mark at the time of its
   * edge of the runway, within a step.
   *
   * @param first the time of the first value: now
   * @param middle the forecast; all three lists have the same length
   * @param low the lower edge, full at {@link Runway#high}
   * @param high the upper edge, full at {@link Runway#low}
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
   * How often the band was right, computed by repeating past forecasts with only the data known at
   * the time.
   *
   * @param right past forecasts whose band contained the actual value
   * @param of past forecasts whose actual value is known
   */
  public record HitRate(int right, int of) {

    public double share() {
      return (double) right / of;
    }
  }
}
