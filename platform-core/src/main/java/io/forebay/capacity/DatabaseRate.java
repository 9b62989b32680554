/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import io.forebay.capacity.series.Points;
import java.util.Arrays;
import java.util.Optional;

/**
 * The rate at which the database can perform messages of a service. A service that keeps up
 * performs what comes in; only a backlog shows the rate of the database.
 *
 * @param perSecond messages per second: measured under backlog, otherwise estimated
 * @param headroom how many times the present intake the database could perform for ever
 */
public record DatabaseRate(Figure<Double> perSecond, Figure<Double> headroom) {

  static final double SATURATED = 0.9;
  private static final double LEAST_BUSY = 0.05;

  /**
   * The share of the extrapolated rate that counts as attainable, because latency rises near
   * saturation.
   */
  private static final double ATTAINABLE = 0.8;

  private static final int LEAST_SECONDS = 60;

  /**
   * The rate measured under backlog, or the rate of the last minute if that is higher. Without a
   * backlog, 0.8 P / busy share if the busy share is at least 0.05: the utilisation law, U = X · S,
   * with a margin.
   */
  static DatabaseRate of(
      Optional<Double> seen,
      Figure<Double> accepted,
      Figure<Double> performed,
      Figure<Double> busy) {
    double now = performed.known().orElse(0.0);
    Figure<Double> rate =
        seen.map(it -> Figure.measured(Math.max(it, now)))
            .orElseGet(() -> performed.then(done -> busy.then(share -> estimate(done, share))));
    Figure<Double> headroom =
        rate.then(can ->
            accepted.then(comes ->
                comes > 0
                    ? Figure.measured(can / comes)
                    : Figure.unknown("no messages arrive now")));
    return new DatabaseRate(rate, headroom);
  }

  private static Figure<Double> estimate(double performed, double busy) {
    if (busy < LEAST_BUSY || performed <= 0) {
      return Figure.unknown(
          "no backlog in 7 days, and the workers are too idle for an estimate (busy %.0f %%, minimum %.0f %%)"
              .formatted(100 * busy, 100 * LEAST_BUSY));
    }
    return Figure.estimated(
        Math.max(performed, ATTAINABLE * performed / busy),
        "estimated from the busy share of the workers; no backlog in 7 days");
  }

  /**
   * The median rate of the last 60 s of the latest stretch of at least that length in which
   * messages waited and the workers were at least 90 % busy; all series must have the same steps.
   */
  static Optional<Double> latestUnderBacklog(Points performed, Points unperformed, Points busy) {
    int step = (int) performed.step().toSeconds();
    int end = Math.min(performed.size(), Math.min(unperformed.size(), busy.size()));
    int length = 0;
    for (int i = end - 1; i >= -1; i--) {
      boolean saturated =
          i >= 0
              && !Float.isNaN(performed.raw(i))
              && unperformed.raw(i) > 0
              && busy.raw(i) >= SATURATED;
      if (saturated) {
        length++;
      } else if (length * step >= LEAST_SECONDS) {
        int last = Math.min(length, Math.max(1, LEAST_SECONDS / step));
        float[] rates = new float[last];
        for (int j = 0; j < last; j++) {
          rates[j] = performed.raw(i + 1 + length - last + j);
        }
        Arrays.sort(rates);
        double median = (rates[(last - 1) / 2] + rates[last / 2]) / 2.0;
        return median > 0 ? Optional.of(median) : Optional.empty();
      } else {
        length = 0;
      }
    }
    return Optional.empty();
  }
}
