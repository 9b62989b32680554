/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.DatabaseRate;
import io.forebay.report.ServiceReport;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Why a service is behind, or its workers are busy. Nothing is set if that is not known.
 *
 * @param slower its database is slower than usual, or statements fail
 * @param can what the database performs per second otherwise, if that is clearly more
 * @param timesUsual the intake as a multiple of the usual one
 * @param usualOver the time that the usual intake is from; null if it was before the start
 */
public record Cause(
    DatabaseRate.@Nullable Slower slower,
    @Nullable Double can,
    @Nullable Double timesUsual,
    @Nullable Duration usualOver) {

  private static final Cause UNKNOWN = new Cause(null, null, null, null);

  /** So many times the usual intake is the cause. */
  private static final double MORE = 2;

  /** A capacity that was measured while the database was slow is no comparison. */
  private static final double CLEARLY_MORE = 1.2;

  /** In the first batch after a break, the break is the cause. */
  static Cause of(ServiceReport report) {
    if (report.isResuming()) {
      return UNKNOWN;
    }
    DatabaseRate.Slower slower = report.slowerNow();
    if (slower != null) {
      Double now = slower.perSecond();
      Double can =
          report.can().known().filter(it -> now != null && it >= CLEARLY_MORE * now).orElse(null);
      return new Cause(slower, can, null, null);
    }
    double times =
        report
            .accepted()
            .with(report.burst(), (in, burst) -> in * BurstHeadroom.TIMES / burst.perSecond())
            .known()
            .orElse(0.0);
    return times < MORE ? UNKNOWN : new Cause(null, null, times, report.usualOver());
  }
}
