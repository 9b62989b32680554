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

/** How long partitions had nobody who worked on them after the instance that did was gone. */
final class TakeOvers {

  /**
   * How long a group takes to miss a member, with the settings of {@link
   * io.forebay.kafka.broker.BrokerProcess}, and another instance to begin.
   */
  static final Duration WITHIN = Duration.ofSeconds(5);

  /** What a busy machine may add to it; the figures are printed. */
  static final Duration BUSY = Duration.ofSeconds(40);

  private final List<Duration> durations = new ArrayList<>();

  /**
   * Waits until each partition of an instance is worked on by another one.
   *
   * @param strike what ends it
   * @return the longest time that it took for one of its partitions
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
