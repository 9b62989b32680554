/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** What happens in a world, and what the product must not have done there. */
abstract class History {

  private static final long LONGEST_OUTAGE = 10_000_000_000L;

  final World world;
  final PlanFaults faults;
  final SimulatedDatabase database;
  final Disk disk = new Disk();
  final Cluster cluster = new Cluster();
  final List<String> violations = new ArrayList<>();
  private final int lookEvery;
  private long nextLook;

  /**
   * @param lookEvery the least number of steps between two looks
   */
  History(World world, Plan plan, SimulatedDatabase database, int lookEvery) {
    this.world = world;
    this.faults = new PlanFaults(world, plan);
    this.database = database;
    this.lookEvery = lookEvery;
  }

  /**
   * What a history shows.
   *
   * @param violations what the product must not do; empty if it did nothing of this kind
   * @param hash of everything that happened
   */
  record Outcome(long seed, List<String> violations, List<String> trace, long hash, long steps) {}

  final Outcome outcome(long seed) {
    return new Outcome(seed, violations, world.trace.lines(), world.trace.hash(), world.steps());
  }

  /** Asks an expensive question only now and then. */
  boolean look(BooleanSupplier question) {
    if (world.steps() < nextLook && !world.isIdle()) {
      return false;
    }
    nextLook = world.steps() + lookEvery;
    return question.getAsBoolean();
  }

  final void violated(String what, Object... arguments) {
    String text = what.formatted(arguments);
    world.trace.add(world, "world", "VIOLATION %s", text);
    violations.add(text);
  }

  final void databaseIsAway() {
    world.trace.add(world, "world", "the database is away");
    faults.databaseIsAway(true);
    database.restart();
    world.after(world.shortTime(LONGEST_OUTAGE), () -> faults.databaseIsAway(false));
  }
}
