/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.series;

import java.time.Duration;
import java.time.Instant;

/** A history in {@link Rings}. Thread-safe. */
public abstract class RingHistory {

  protected final Rings rings;

  protected RingHistory(Rings rings) {
    this.rings = rings;
  }

  /**
   * The steps that begin in [from, to): of 1 s, 10 s or 1 min. If steps of the requested length do
   * not reach back far enough, returns the next longer ones.
   *
   * @throws IllegalArgumentException if the history does not record the measure
   */
  public Points read(Measure measure, Instant from, Instant to, Duration step) {
    return rings.read(measure, from, to, step);
  }
}
