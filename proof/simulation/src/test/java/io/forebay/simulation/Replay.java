/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import java.util.SplittableRandom;

/** What makes a history: the same replay gives the same history, step by step. */
record Replay(long seed, Plan plan) {

  /** The history of a seed. */
  static Replay of(long seed) {
    return new Replay(seed, Plan.of(new SplittableRandom(seed)));
  }

  /**
   * Reads the text of a replay.
   *
   * @param text a seed; or {@code seed=7} with values of its plan that differ: {@code
   *     seed=7,statements=2}
   */
  static Replay parse(String text) {
    String[] parts = text.strip().split(",", 2);
    Replay usual = of(Long.parseLong(parts[0].replaceFirst("^seed=", "")));
    return parts.length < 2 ? usual : usual.with(usual.plan.with(parts[1]));
  }

  /** The same with another plan. */
  Replay with(Plan other) {
    return new Replay(seed, other);
  }

  /** The same plan with other accidents. */
  Replay withSeed(long other) {
    return new Replay(other, plan);
  }

  /** A text that {@link #parse} reads. */
  @Override
  public String toString() {
    String difference = plan.difference(of(seed).plan);
    return "seed=" + seed + (difference.isEmpty() ? "" : "," + difference);
  }
}
