/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.sweep;

import java.time.Duration;
import java.util.List;

/**
 * The rates of a sweep and how long it measures.
 *
 * @param length how long each rate is measured, after its warm-up
 * @param growth the factor by which a search raises the rate until the system falls behind
 * @param percents the rates that a search measures first, in percent of the highest rate
 * @param bisections how often a search halves an interval, for each of the rates it looks for
 * @param confirming whether two of three runs decide which rate is sustainable
 */
public record Plan(
    Duration length, int growth, List<Integer> percents, int bisections, boolean confirming) {

  private static final List<Integer> STEPS = List.of(2, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100);
  private static final List<Integer> FEW_STEPS = List.of(5, 10, 20, 40, 70, 100);

  /** A search of about 30 times the length. */
  public static Plan search(Duration length) {
    return new Plan(length, 2, STEPS, 3, true);
  }

  /** A search of about 15 times the length, whose figures are rough. */
  public static Plan briefSearch(Duration length) {
    return new Plan(length, 4, FEW_STEPS, 1, false);
  }
}
