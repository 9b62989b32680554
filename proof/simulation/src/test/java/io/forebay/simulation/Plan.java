/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.queue.Level;
import io.forebay.service.Idle;
import java.time.Duration;
import java.util.SplittableRandom;

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
 * @param troubles how many events disturb the process or its host
 * @param powerFailures the share of kills that take the power of the host with them
 * @param connectionFaults the probability that a connection is refused or lost at a statement
 * @param commitFaults the probability that a COMMIT goes wrong
 * @param forceFaults the probability that a force of the disk fails
 * @param meanPauseNanos between two statements of a sender
 */
record Plan(
    int instances,
    int partitions,
    Level level,
    int statements,
    int senders,
    int maxBatch,
    int troubles,
    double powerFailures,
    double connectionFaults,
    double commitFaults,
    double forceFaults,
    long meanPauseNanos) {

  static Plan of(SplittableRandom random) {
    return new Plan(
        random.nextInt(4) > 0 ? 0 : 1 + random.nextInt(3),
        1 + random.nextInt(2),
        random.nextInt(3) > 0 ? Level.DISK : Level.PROCESS,
        5 + random.nextInt(30),
        1 + random.nextInt(3),
        random.nextBoolean() ? 100 : 1 + random.nextInt(5),
        random.nextInt(5),
        random.nextBoolean() ? 0 : random.nextDouble(),
        sometimes(random, 0.05),
        sometimes(random, 0.3),
        sometimes(random, 0.005),
        1 + random.nextLong(20_000_000));
  }

  private static double sometimes(SplittableRandom random, double most) {
    return random.nextBoolean() ? 0 : random.nextDouble() * most;
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
