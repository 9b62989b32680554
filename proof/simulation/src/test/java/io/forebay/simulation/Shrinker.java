/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.queue.Level;
import io.forebay.simulation.History.Outcome;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Makes the history of a violation as small as a person can read. It tries simpler plans, each with
 * some seeds, keeps those that show the same violation, and ends when nothing simpler does. Then it
 * chooses the shortest of several histories of that plan.
 */
final class Shrinker {

  /** A history without steps takes as long as so many. */
  private static final long STEPS_TO_BEGIN = 700;

  private static final long STEPS_OF_A_PLAN = 150_000;
  private static final long PAUSE = 10_000_000;
  private static final long STEPS_OF_THE_LAST_PLAN = 200_000;

  private static final List<Function<Plan, List<String>>> PARTS =
      List.of(
          plan -> plan.accident() == Accident.NONE ? List.of() : List.of("accident=NONE"),
          plan -> lower("instances", plan.instances(), 0),
          plan -> fewer("kinds", plan.kinds(), 1),
          plan -> sooner(plan.troublesWithinNanos()),
          plan -> lower("troubles", plan.troubles(), 0),
          plan -> lower("senders", plan.senders(), 1),
          plan -> lower("partitions", plan.partitions(), 1),
          plan -> off("connectionFaults", plan.connectionFaults()),
          plan -> off("commitFaults", plan.commitFaults()),
          plan -> off("forceFaults", plan.forceFaults()),
          plan -> off("powerFailures", plan.powerFailures()),
          plan -> plan.level() == Level.DISK ? List.of() : List.of("level=DISK"),
          plan -> lower("statements", plan.statements(), 1),
          plan -> fewer("kindsOfTrouble", plan.kindsOfTrouble(), 0),
          plan -> lower("maxBatch", plan.maxBatch(), 1),
          plan -> plan.meanPauseNanos() == PAUSE ? List.of() : List.of("meanPauseNanos=" + PAUSE));

  private final History history;
  private final String violation;
  private Replay smallest;
  private long steps;

  /** Runs a replay. */
  @FunctionalInterface
  interface History {
    Outcome run(Replay replay, boolean traced) throws SQLException;
  }

  private Shrinker(History history, Replay replay, Outcome failed) {
    this.history = history;
    this.smallest = replay;
    this.violation = kind(failed.violations().getFirst());
  }

  /**
   * Finds a small history with the violation of a given one.
   *
   * @throws IllegalArgumentException if the given one has none
   */
  static Replay shrink(Replay replay, History history) throws SQLException {
    Outcome failed = history.run(replay, true);
    if (failed.violations().isEmpty()) {
      throw new IllegalArgumentException("no violation: " + replay);
    }
    Shrinker shrinker = new Shrinker(history, replay, failed);
    while (shrinker.findsASimplerPlan()) {}
    return shrinker.shortest();
  }

  /** Its first words, which are the same in other histories. */
  private static String kind(String violation) {
    return violation.split("[\\d\\[]", 2)[0];
  }

  /** Looks once for a simpler value of each part of the plan; the simplest value comes first. */
  private boolean findsASimplerPlan() throws SQLException {
    boolean found = false;
    for (Function<Plan, List<String>> part : PARTS) {
      for (String simpler : part.apply(smallest.plan())) {
        Replay replay = withViolation(smallest.with(smallest.plan().with(simpler)));
        if (replay != null) {
          smallest = replay;
          found = true;
          break;
        }
      }
    }
    return found;
  }

  /** The same with a seed that shows the violation; null if no seed does. */
  private @Nullable Replay withViolation(Replay replay) throws SQLException {
    long last = steps + STEPS_OF_A_PLAN;
    for (int i = 0; steps < last; i++) {
      Replay candidate = i == 0 ? replay : replay.withSeed(i);
      if (shows(candidate, false) != null) {
        return candidate;
      }
    }
    return null;
  }

  private Replay shortest() throws SQLException {
    long last = steps + STEPS_OF_THE_LAST_PLAN;
    Replay shortest = smallest;
    int lines = Integer.MAX_VALUE;
    for (int i = 0; steps < last; i++) {
      Replay candidate = i == 0 ? smallest : smallest.withSeed(i);
      Outcome outcome = shows(candidate, true);
      if (outcome != null && outcome.trace().size() < lines) {
        shortest = candidate;
        lines = outcome.trace().size();
      }
    }
    return shortest;
  }

  /** The outcome if it has the violation; else null. */
  private @Nullable Outcome shows(Replay candidate, boolean traced) throws SQLException {
    Outcome outcome = history.run(candidate, traced);
    steps += STEPS_TO_BEGIN + outcome.steps();
    return outcome.violations().stream().anyMatch(it -> kind(it).equals(violation))
        ? outcome
        : null;
  }

  private static List<String> lower(String name, int now, int least) {
    return IntStream.of(least, least + 1, now / 2, now - 1)
        .filter(it -> it >= least && it < now)
        .sorted()
        .distinct()
        .mapToObj(it -> name + "=" + it)
        .toList();
  }

  /** Troubles that happen while statements are performed, and not long afterwards. */
  private static List<String> sooner(long now) {
    return LongStream.of(50_000_000, 500_000_000)
        .filter(it -> it < now)
        .mapToObj(it -> "troublesWithinNanos=" + it)
        .toList();
  }

  private static List<String> off(String name, double now) {
    return now == 0 ? List.of() : List.of(name + "=0.0");
  }

  private static List<String> fewer(String name, List<? extends Enum<?>> now, int least) {
    List<List<? extends Enum<?>>> found = new ArrayList<>();
    if (least == 0 && !now.isEmpty()) {
      found.add(List.of());
    }
    if (now.size() > 1) {
      now.forEach(it -> found.add(List.of(it)));
    }
    for (int without = now.size() / 2; without > 0; without /= 2) {
      for (int i = 0; i + without <= now.size() && now.size() > 2; i += without) {
        List<Enum<?>> left = new ArrayList<>(now);
        left.subList(i, i + without).clear();
        found.add(left);
      }
    }
    return found.stream().map(it -> name + "=" + PlanText.of(it)).toList();
  }
}
