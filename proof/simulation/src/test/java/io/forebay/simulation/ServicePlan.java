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
 * @param slowForces whether forces of the disk often take long
 * @param accident what happens to the topics of the first service
 */
record ServicePlan(
    Plan base,
    Receivers receivers,
    int stages,
    boolean remembered,
    boolean slowForces,
    Accident accident) {

  /** What happens besides the troubles. */
  enum Accident {
    NONE,
    /** The topic of the calls is deleted and made again. */
    TOPIC_MADE_AGAIN,
    /** An election cuts off the last calls. */
    TAIL_CUT,
    /** The brokers refuse the answers. */
    ANSWERS_REFUSED,
    /** A call hangs while its partition is taken away from its instance. */
    CALL_HANGS
  }

  ServicePlan {
    boolean isPossible =
        base.shared()
            && base.troubles() > 0
            && (accident != Accident.CALL_HANGS
                || base.instances() == 2 && base.partitions() > 1 && base.statements() > 25);
    if (!isPossible) {
      accident = Accident.NONE;
    }
  }

  /** How beans receive the answers of the service. */
  enum Receivers {
    NONE,
    PLAIN,
    TRANSACTED
  }

  static ServicePlan of(SplittableRandom random) {
    Plan base = Plan.of(random);
    Receivers receivers = Receivers.values()[random.nextInt(Receivers.values().length)];
    return new ServicePlan(
        base,
        receivers,
        1 + random.nextInt(3),
        random.nextBoolean(),
        receivers == Receivers.TRANSACTED || random.nextInt(3) == 0,
        Accident.values()[random.nextInt(Accident.values().length)]);
  }

  boolean shared() {
    return base.shared();
  }

  int partitions() {
    return base.partitions();
  }

  /**
   * The share of kills that take the power of the host with them. At level PROCESS nothing is
   * promised then.
   */
  double powerFailures() {
    return base.level() == Level.PROCESS ? 0 : base.powerFailures();
  }

  long meanPauseNanos() {
    return switch (accident) {
      case TOPIC_MADE_AGAIN, TAIL_CUT -> 200_000_000;
      case CALL_HANGS -> 4_000_000_000L;
      case NONE, ANSWERS_REFUSED -> base.meanPauseNanos();
    };
  }

  /** Whether a database has a part in it. */
  boolean usesDatabase() {
    return stages == 3 || receivers == Receivers.TRANSACTED;
  }
}
