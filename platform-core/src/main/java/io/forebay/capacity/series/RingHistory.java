/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.series;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;

/** A history in {@link Rings}, which can be read and kept across a restart. Thread-safe. */
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

  /**
   * The whole history, for {@link io.forebay.capacity.HistoryFile}. What was recorded until now is
   * not in the next {@link #changes()}.
   */
  public byte[] toBytes() {
    return rings.toBytes();
  }

  /**
   * Restores the result of {@link #toBytes()} after a restart; its ring lengths may differ. Must be
   * called before the first sample.
   *
   * @throws IOException if the bytes are not a history; create a new instance then
   */
  public void restore(byte[] history) throws IOException {
    rings.restore(history);
  }

  /**
   * What was recorded since the last call of this method or of {@link #toBytes()}, for {@link
   * io.forebay.capacity.HistoryJournal}.
   */
  public byte[] changes() {
    return rings.changes();
  }

  /**
   * Records the result of {@link #changes()} again after a restart, after {@link #restore} and in
   * the order in which the changes were taken.
   *
   * @throws IOException if the bytes are not changes; those before the error are recorded
   */
  public void apply(byte[] recorded) throws IOException {
    rings.apply(recorded);
  }
}
