/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import io.forebay.capacity.Until;
import java.time.Duration;
import java.time.Instant;

/**
 * When a disk will be full: a forecast with its range. Base decisions on {@link #low}.
 *
 * @param middle the forecast; "never" means not within 30 days
 * @param low the early edge of the range
 * @param high the late edge of the range
 * @param peakShare the highest used share of the volume within 30 days or until it is full
 * @param peakAt when this share is reached
 */
public record Runway(Until middle, Until low, Until high, double peakShare, Instant peakAt) {

  /** How far a forecast looks. */
  public static final Duration HORIZON = Duration.ofDays(30);
}
