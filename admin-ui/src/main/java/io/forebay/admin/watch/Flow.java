/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.capacity.ServiceHistory;
import io.forebay.capacity.series.Measure;
import io.forebay.capacity.series.Points;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What all services accept and perform per second, over the last quarter of an hour.
 *
 * @param first the beginning of the first step
 * @param step in seconds
 * @param accepted one value per step; null for a gap
 */
record Flow(
    Instant first, long step, List<@Nullable Double> accepted, List<@Nullable Double> performed) {

  private static final Duration STEP = Duration.ofSeconds(10);
  private static final int STEPS = 90;

  static Flow of(List<ServiceHistory> services, Instant now) {
    long step = STEP.toSeconds();
    Instant first =
        Instant.ofEpochSecond((Math.floorDiv(now.getEpochSecond(), step) - STEPS + 1) * step);
    return new Flow(
        first,
        step,
        sum(services, Measure.ACCEPTED, first, now),
        sum(services, Measure.PERFORMED, first, now));
  }

  private static List<@Nullable Double> sum(
      List<ServiceHistory> services, Measure measure, Instant first, Instant now) {
    @Nullable Double[] sums = new @Nullable Double[STEPS];
    for (ServiceHistory service : services) {
      Points points = service.read(measure, first, now.plusSeconds(1), STEP);
      for (int i = 0; i < points.size(); i++) {
        int at = (int) Duration.between(first, points.time(i)).dividedBy(STEP);
        if (!Float.isNaN(points.raw(i))) {
          Double before = sums[at];
          sums[at] = (before == null ? 0 : before) + points.raw(i);
        }
      }
    }
    return Arrays.asList(sums);
  }
}
