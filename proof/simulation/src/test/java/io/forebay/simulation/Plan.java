/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.queue.Level;
import io.forebay.service.Idle;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * What a history is like, drawn by chance.
 *
 * @param instances how many processes share the queues of a cluster; 0: one process has the queues
 *     of its host
 * @param partitions of the queues
 * @param level of the queues
 * @param statements that are sent
 * @param senders how many threads send at the same time
 * @param maxBatch the most messages of a batch
 * @param troubles how many events disturb a process, its host or what it uses
 * @param troublesWithinNanos when the last of them happens at the latest
 * @param powerFailures the share of kills that take the power of the host with them
 * @param connectionFaults the probability that a connection is refused or lost at a statement
 * @param commitFaults the probability that a COMMIT goes wrong
 * @param forceFaults the probability that a force of the disk fails
 * @param meanPauseNanos between two statements of a sender
 * @param kindsOfTrouble which troubles there are; others that are drawn do not happen
 * @param kinds of the statements
 * @param accident what happens besides the troubles
 */
record Plan(
    int instances,
    int partitions,
    Level level,
    int statements,
    int senders,
    int maxBatch,
    int troubles,
    long troublesWithinNanos,
    double powerFailures,
    double connectionFaults,
    double commitFaults,
    double forceFaults,
    long meanPauseNanos,
    List<Trouble> kindsOfTrouble,
    List<Kind> kinds,
    Accident accident) {

  static Plan of(SplittableRandom random) {
    Plan plan =
        new Plan(
            random.nextInt(4) > 0 ? 0 : 1 + random.nextInt(3),
            1 + random.nextInt(2),
            random.nextInt(3) > 0 ? Level.DISK : Level.PROCESS,
            5 + random.nextInt(30),
            1 + random.nextInt(3),
            random.nextBoolean() ? 100 : 1 + random.nextInt(5),
            random.nextInt(5),
            5_000_000_000L,
            random.nextBoolean() ? 0 : random.nextDouble(),
            sometimes(random, 0.05),
            sometimes(random, 0.3),
            sometimes(random, 0.005),
            1 + random.nextLong(20_000_000),
            List.of(Trouble.values()),
            Kind.usual(),
            Accident.NONE);
    return plan.with("accident=" + Accident.of(random, plan)).withDeadly(random);
  }

  /** Sometimes, because a statement that ends the process does so many times. */
  private Plan withDeadly(SplittableRandom random) {
    return random.nextInt(10) > 0
        ? this
        : with(
            "kinds=" + PlanText.of(Stream.concat(kinds.stream(), Stream.of(Kind.DEADLY)).toList()));
  }

  private static double sometimes(SplittableRandom random, double most) {
    return random.nextBoolean() ? 0 : random.nextDouble() * most;
  }

  /**
   * The same, except for the values that a text names.
   *
   * @param text for example {@code statements=2,kinds=EFFECT+KEYED}
   */
  Plan with(String text) {
    return PlanText.changed(this, text);
  }

  /** The values in which it differs from another plan, as {@link #with} reads them. */
  String difference(Plan other) {
    return PlanText.difference(this, other);
  }

  boolean shared() {
    return instances > 0;
  }

  /** Whether an acknowledged statement outlives the power of its host. */
  boolean durable() {
    return shared() || level == Level.DISK;
  }

  static Idle idle() {
    return (turns, tailer) -> tailer.await(Duration.ofMillis(turns < 3 ? 1 : 100));
  }
}
