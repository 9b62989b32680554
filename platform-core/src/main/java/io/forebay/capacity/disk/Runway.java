/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import io.forebay.capacity.Until;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * When a disk will be full: a forecast with its range.
 *
 * @param middle the forecast; "never" means not within the time that the known history allows to
 *     look ahead, or 30 days
 * @param low the early edge of the range, or as far as the known history, or larger growth that has
 *     begun, allows to look ahead
 * @param begun when it is full if others that began to write a few seconds ago do not stop; null
 *     unless that is much sooner
 */
public record Runway(Until middle, Until low, @Nullable Until begun) {

  /** How far a forecast looks. */
  public static final Duration HORIZON = Duration.ofDays(30);

  /** The likely time: at the rate at which others began to write, if that is sooner. */
  public Until likely() {
    return begun == null ? middle : begun;
  }

  /** The time for alerts: the early edge of a forecast; "never" if there is no forecast. */
  public Until forAlerts() {
    return middle instanceof Until.Never ? middle : low;
  }
}
