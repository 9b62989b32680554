/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

/** The bytes used during a {@link FillWalk}; once the volume is full, it stays full. */
final class FillCurve {

  private final double now;
  private final double stop;
  private final double[] begun;
  private final double[] grown;
  private int steps;

  /**
   * @param now bytes used at the beginning
   * @param steps the most steps
   */
  FillCurve(double now, double stop, int steps) {
    this.now = now;
    this.stop = stop;
    begun = new double[steps];
    grown = new double[steps];
  }

  /**
   * @param used bytes used after retention freed files at the beginning of the step
   * @param more bytes added during the step
   */
  void step(double used, double more) {
    begun[steps] = used;
    grown[steps] = more;
    steps++;
  }

  /** Bytes used that many seconds from now; after the last step, the bytes used at its end. */
  double at(double seconds) {
    if (seconds <= 0 || steps == 0) {
      return now;
    }
    int step = (int) Math.min(seconds / FillWalk.SECONDS, steps - 1.0);
    double part = Math.min(1, seconds / FillWalk.SECONDS - step);
    return Math.min(stop, begun[step] + grown[step] * part);
  }
}
