/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.queue.Level;

/** The faults of a plan, until they end. */
final class PlanFaults implements DatabaseFaults, QueueFaults, ClusterFaults {

  /** How long an operating system keeps what nobody forces. */
  private static final long WRITE_BACK = 10_000_000_000L;

  private final World world;
  private final Plan plan;
  private boolean active = true;
  private boolean databaseAway;
  private double slowForces = 0.01;

  PlanFaults(World world, Plan plan) {
    this.world = world;
    this.plan = plan;
  }

  void end() {
    active = false;
  }

  void forcesAreSlow() {
    slowForces = 0.3;
  }

  /** Whether the database refuses connections. */
  void databaseIsAway(boolean value) {
    databaseAway = value;
  }

  /** Whether what an own service calls responds late. */
  boolean callIsSlow() {
    return happens(0.01);
  }

  /** Whether a receiver of answers cannot do its work now. */
  boolean receiverLacksSomething() {
    return happens(0.03);
  }

  private boolean happens(double probability) {
    return active && probability > 0 && world.chance(probability);
  }

  @Override
  public long roundTripNanos() {
    return world.shortTime(happens(0.002) ? 8_000_000_000L : 3_000_000);
  }

  @Override
  public boolean refusesConnection() {
    return databaseAway || happens(plan.connectionFaults() * 4);
  }

  @Override
  public Of statement() {
    return happens(plan.connectionFaults()) ? fault() : Of.GOES_WELL;
  }

  @Override
  public Of commit() {
    return happens(plan.commitFaults()) ? fault() : Of.GOES_WELL;
  }

  private Of fault() {
    return Of.values()[1 + world.random.nextInt(Of.values().length - 1)];
  }

  @Override
  public long noticesDeathAfterNanos() {
    return world.shortTime(6_000_000_000L);
  }

  @Override
  public void pause() {
    SimulatedProcess.current().pause();
  }

  @Override
  public boolean answerIsLost() {
    return happens(plan.connectionFaults());
  }

  @Override
  public long forceTakesNanos() {
    return world.shortTime(
        plan.level() == Level.DISK
            ? (happens(slowForces) ? 2_000_000_000L : 5_000_000)
            : WRITE_BACK);
  }

  @Override
  public boolean forceFails() {
    return happens(plan.forceFaults());
  }
}
