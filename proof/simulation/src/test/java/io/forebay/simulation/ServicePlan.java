/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.queue.Level;
import java.util.SplittableRandom;

/**
 * What a history of services is like, drawn by chance.
 *
 * @param base what it has in common with the history of a gateway; its statements are the calls
 * @param receivers how beans receive the answers
 * @param stages 1: the service alone; 2: another service performs its answers; 3: and a gateway
 *     those of that service
 * @param remembered whether its progress is also stored outside of the queues
 */
record ServicePlan(Plan base, Receivers receivers, int stages, boolean remembered) {

  /** How beans receive the answers of the service. */
  enum Receivers {
    NONE,
    PLAIN,
    TRANSACTED
  }

  static ServicePlan of(SplittableRandom random) {
    return new ServicePlan(
        Plan.of(random),
        Receivers.values()[random.nextInt(Receivers.values().length)],
        1 + random.nextInt(3),
        random.nextBoolean());
  }

  boolean shared() {
    return base.shared();
  }

  int partitions() {
    return base.partitions();
  }

  /**
   * The share of kills that take the power of the host with them. At level PROCESS nothing is
   * promised then, and receivers with transactions see answers that are not safe.
   */
  double powerFailures() {
    return base.level() == Level.PROCESS || receivers == Receivers.TRANSACTED
        ? 0
        : base.powerFailures();
  }

  /** Whether a database has a part in it. */
  boolean usesDatabase() {
    return stages == 3 || receivers == Receivers.TRANSACTED;
  }
}
