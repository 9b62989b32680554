/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import static java.util.stream.Collectors.joining;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What makes a history: the same replay gives the same history, step by step.
 *
 * @param hole what it also shows; null for nothing
 */
record Replay(long seed, Plan plan, @Nullable Hole hole) {

  /** The history of a seed. */
  static Replay of(long seed, @Nullable Hole hole) {
    Plan plan = Plan.of(new SplittableRandom(seed));
    if (hole == null) {
      return new Replay(seed, plan, null);
    }
    List<Kind> kinds = Stream.concat(Kind.usual().stream(), hole.kinds().stream()).toList();
    String shown = "kinds=%s,accident=%s".formatted(PlanText.of(kinds), Accident.NONE);
    return new Replay(seed, plan.with(shown), hole);
  }

  /**
   * Reads the text of a replay.
   *
   * @param text a seed; or {@code seed=7}, perhaps with a hole, and with values of its plan that
   *     differ: {@code seed=7,hole=TWO_OWNERS,statements=2}
   */
  static Replay parse(String text) {
    String[] parts = text.strip().split(",", 2);
    long seed = Long.parseLong(parts[0].replaceFirst("^seed=", ""));
    String rest = parts.length < 2 ? "" : parts[1];
    Hole hole = null;
    if (rest.startsWith("hole=")) {
      parts = rest.split("[=,]", 3);
      hole = Hole.valueOf(parts[1]);
      rest = parts.length < 3 ? "" : parts[2];
    }
    Replay usual = of(seed, hole);
    return rest.isEmpty() ? usual : new Replay(seed, usual.plan.with(rest), hole);
  }

  /** The same with another plan. */
  Replay with(Plan other) {
    return new Replay(seed, other, hole);
  }

  /** The same plan with other accidents. */
  Replay withSeed(long other) {
    return new Replay(other, plan, hole);
  }

  /** A text that {@link #parse} reads. */
  @Override
  public String toString() {
    String difference = plan.difference(of(seed, hole).plan);
    return Stream.of("seed=" + seed, hole == null ? "" : "hole=" + hole, difference)
        .filter(it -> !it.isEmpty())
        .collect(joining(","));
  }
}
