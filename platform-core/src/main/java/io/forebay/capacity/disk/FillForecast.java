/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import io.forebay.capacity.Lag;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * Three walks and the least width of their band, as a factor on time. The runway and its curve are
 * both computed from it, so that they agree.
 *
 * @param early the walk with the fastest growth of the band
 * @param late the walk with the slowest
 * @param floor the least factor on time between the middle and each edge; 1 for none
 * @param rough whether there was too little history for a band that was checked against the past
 */
record FillForecast(
    FillWalk.End middle, FillWalk.End early, FillWalk.End late, double floor, boolean rough) {

  /** How far a chart extends beyond the time when its middle is full if the late edge never is. */
  private static final double BEYOND = 1.25;

  Runway runway(Volume volume, Instant now) {
    Until low = scaled(middle.until(), 1 / floor).sooner(early.until());
    Until high = scaled(middle.until(), floor).later(late.until());
    return new Runway(
        middle.until(),
        low.sooner(middle.until()),
        high.later(middle.until()),
        volume.sizeBytes() > 0 ? middle.peakBytes() / volume.sizeBytes() : 1,
        now.plus(Duration.ofMillis((long) (1000 * middle.peakSeconds()))),
        rough ? Runway.Confidence.ROUGH : Runway.Confidence.of(low, high));
  }

  private static Until scaled(Until until, double times) {
    return until
        .left()
        .map(it -> Until.ofSeconds(Lag.seconds(it) * times, "not within ten years"))
        .orElse(until);
  }

  /** See {@link VolumeHistory#curve}. */
  Runway.Curve curve(Volume volume, Instant now, Duration atLeast, int points) {
    double seconds = Math.max(Lag.seconds(atLeast), shown(runway(volume, now)));
    long step =
        Math.max(1, (long) Math.ceil(Math.min(seconds, Runway.HORIZON.toSeconds()) / (points - 1)));
    return new Runway.Curve(
        now,
        Duration.ofSeconds(step),
        values(step, points, middle.curve()::at),
        values(
            step,
            points,
            at ->
                Math.min(
                    middle.curve().at(at),
                    Math.min(middle.curve().at(at / floor), late.curve().at(at)))),
        values(
            step,
            points,
            at ->
                Math.max(
                    middle.curve().at(at),
                    Math.max(middle.curve().at(at * floor), early.curve().at(at)))));
  }

  /**
   * The seconds until the late edge is full; if it never is, until a little after the middle or
   * else the early edge is.
   */
  private static double shown(Runway runway) {
    return runway
        .high()
        .left()
        .map(Lag::seconds)
        .orElseGet(() ->
            runway
                .middle()
                .left()
                .or(() -> runway.low().left())
                .map(it -> Lag.seconds(it) * BEYOND)
                .orElse(0.0));
  }

  private static List<Double> values(long step, int points, DoubleUnaryOperator used) {
    List<Double> values = new ArrayList<>(points);
    for (int i = 0; i < points; i++) {
      values.add(used.applyAsDouble((double) i * step));
    }
    return values;
  }
}
