/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import io.forebay.capacity.Until;
import java.time.Duration;

/**
 * When a disk will be full: a forecast with its range.
 *
 * @param middle the forecast; "never" means not within the time that the known history allows to
 *     look ahead, or 30 days
 * @param low the disk will not be full before; the early edge of the range, or as far as the known
 *     history, or larger growth that has begun, allows to look ahead
 * @param high the late edge of the range
 * @param lasting whether the growth has lasted long enough for the forecast; else others began to
 *     write a few seconds ago, and it is full then if they do not stop
 */
public record Runway(Until middle, Until low, Until high, boolean lasting) {

  /** How far a forecast looks. */
  public static final Duration HORIZON = Duration.ofDays(30);

  /** The early edge of a forecast whose growth lasts; "never" if there is none. */
  public Until forAlerts() {
    return lasting && !(middle instanceof Until.Never) ? low : new Until.Never("no forecast");
  }
}
