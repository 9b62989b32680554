/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.util.List;

/** What services are ordered by: the soonest thing that goes wrong with one. */
public final class TimeToTrouble {

  /** A service with a smaller share of the growth of its volume is not why that gets full. */
  public static final double GROWTH_SHARE = 0.05;

  private TimeToTrouble() {}

  /**
   * The soonest of those that are known; never if none is.
   *
   * @param lag of the service
   * @param headBlocked whether its oldest message is tried in vain
   * @param runwayLow the low edge of the runway of its volume
   * @param growthShare of the service in the growth of that volume, 0 to 1
   * @param lossMargin where retention goes by time alone, {@link Retention#lossMargin}; unknown
   *     elsewhere
   */
  public static Until of(
      Lag lag,
      boolean headBlocked,
      Figure<Until> runwayLow,
      double growthShare,
      Figure<Until> lossMargin) {
    if (headBlocked) {
      return new Until.Passed();
    }
    Until soonest = new Until.Never("nothing is known to go wrong");
    for (Figure<Until> figure : List.of(lag.late(), lossMargin)) {
      soonest = figure.known().map(soonest::sooner).orElse(soonest);
    }
    return growthShare > GROWTH_SHARE
        ? runwayLow.known().map(soonest::sooner).orElse(soonest)
        : soonest;
  }
}
