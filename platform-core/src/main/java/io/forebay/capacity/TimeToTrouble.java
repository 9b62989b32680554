/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.util.List;

/** The time until the first problem of a service; services are ordered by it. */
public final class TimeToTrouble {

  /** A service with a smaller share of its volume's growth is not a cause of a full disk. */
  public static final double GROWTH_SHARE = 0.05;

  private TimeToTrouble() {}

  /**
   * The soonest known time; never if none is known.
   *
   * @param lag of the service
   * @param headBlocked whether it retries its oldest message without success
   * @param runwayLow the low edge of the runway of its volume
   * @param growthShare the service's share of the growth of that volume, 0 to 1
   * @param lossMargin {@link io.forebay.capacity.disk.FileRetention#lossMargin} if retention
   *     depends on time alone; otherwise unknown
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
    Until soonest = new Until.Never("no problem is known");
    for (Figure<Until> figure : List.of(lag.late(), lossMargin)) {
      soonest = figure.known().map(soonest::sooner).orElse(soonest);
    }
    return growthShare > GROWTH_SHARE
        ? runwayLow.known().map(soonest::sooner).orElse(soonest)
        : soonest;
  }
}
