/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.queue.Level;
import java.util.SplittableRandom;

/** What happens to a history besides its troubles, and needs an operator. */
enum Accident {
  NONE,
  /** Some messages of a queue cannot be read any more. */
  DAMAGE,
  /** An older copy replaces the files of a queue, or of both. */
  QUEUE_RETURNS,
  /** An older copy replaces the rows of the database. */
  DATABASE_RETURNS,
  /** An election cuts off the last messages of a topic while no instance runs, or soon after. */
  TAIL_CUT,
  /** The queues are drained, and others of another backend replace them. */
  SWITCH,
  /** Messages cannot be read any more that were performed and not answered. */
  UNANSWERED_DAMAGE;

  /** Most histories have none. */
  static Accident of(SplittableRandom random, Plan plan) {
    Accident drawn = values()[Math.max(0, random.nextInt(15) - 8)];
    return drawn.isPossible(plan) ? drawn : NONE;
  }

  private boolean isPossible(Plan plan) {
    return switch (this) {
      case NONE, DATABASE_RETURNS -> true;
      case DAMAGE, UNANSWERED_DAMAGE -> !plan.shared() && plan.durable();
      case QUEUE_RETURNS -> !plan.shared();
      case TAIL_CUT -> plan.shared();
      case SWITCH -> plan.level() == Level.DISK;
    };
  }
}
