/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/** The time that partitions had no active owner after their instance ended. */
final class TakeOvers {

  /**
   * The time until a group detects a lost member, with the settings of {@link
   * io.forebay.kafka.broker.BrokerProcess}, and another instance takes over.
   */
  static final Duration WITHIN = Duration.ofSeconds(5);

  /** A margin for a busy machine; the measured times are printed. */
  static final Duration BUSY = Duration.ofSeconds(40);

  private final List<Duration> durations = new ArrayList<>();

  /**
   * Waits until another instance performs each partition of a victim.
   *
   * @param strike what ends the victim
   * @return the longest time that one of its partitions needed
   */
  Duration measure(RunningService victim, Runnable strike, List<RunningService> others) {
    Set<Integer> partitions = victim.running();
    long since = System.nanoTime();
    strike.run();
    Duration longest = Duration.ZERO;
    for (int partition : partitions) {
      others.getFirst().until(() -> takenOver(partition, since, others).isPresent());
      Duration took = Duration.ofNanos(takenOver(partition, since, others).orElseThrow() - since);
      durations.add(took);
      longest = took.compareTo(longest) > 0 ? took : longest;
    }
    return longest;
  }

  private static OptionalLong takenOver(int partition, long since, List<RunningService> others) {
    return others.stream()
        .map(other -> other.runsSince(partition, since))
        .filter(OptionalLong::isPresent)
        .mapToLong(OptionalLong::getAsLong)
        .min();
  }

  int count() {
    return durations.size();
  }

  Duration percentile(double percent) {
    if (durations.isEmpty()) {
      return Duration.ZERO;
    }
    List<Duration> sorted = new ArrayList<>(durations);
    Collections.sort(sorted);
    return sorted.get((int) Math.ceil(percent / 100 * sorted.size()) - 1);
  }

  @Override
  public String toString() {
    return durations.isEmpty()
        ? "no take-overs"
        : "%d take-overs, p50 %d ms, p99 %d ms"
            .formatted(count(), percentile(50).toMillis(), percentile(99).toMillis());
  }
}
