/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

/** What a {@link FillWalk} saw used on its way: once it is full, it stays so. */
final class FillCurve {

  private final double now;
  private final double stop;
  private final double[] begun;
  private final double[] grown;
  private int steps;

  /**
   * @param now bytes used at the beginning
   * @param steps at most
   */
  FillCurve(double now, double stop, int steps) {
    this.now = now;
    this.stop = stop;
    begun = new double[steps];
    grown = new double[steps];
  }

  /**
   * @param used after what was freed at the beginning of the step
   * @param more in the whole step
   */
  void step(double used, double more) {
    begun[steps] = used;
    grown[steps] = more;
    steps++;
  }

  /** Bytes used so many seconds from now; after the last step, what was used at its end. */
  double at(double seconds) {
    if (seconds <= 0 || steps == 0) {
      return now;
    }
    int step = (int) Math.min(seconds / FillWalk.SECONDS, steps - 1.0);
    double part = Math.min(1, seconds / FillWalk.SECONDS - step);
    return Math.min(stop, begun[step] + grown[step] * part);
  }
}
