/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.place;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import net.openhft.chronicle.queue.RollCycle;
import net.openhft.chronicle.queue.RollCycles;
import org.jspecify.annotations.Nullable;

/**
 * Where the queues of one service are, and how long they write to one file. Both are fixed when a
 * queue is created.
 *
 * @param directory an existing directory, perhaps on another volume, in which each queue has a
 *     directory of its own; null: the data directory
 * @param rollCycle one of {@link #ROLL_CYCLES}; null: the one of the backend, an hour
 */
public record ServiceFiles(@Nullable Path directory, @Nullable Duration rollCycle) {

  private static final List<RollCycle> CYCLES =
      List.of(
          RollCycles.FIVE_MINUTELY,
          RollCycles.TEN_MINUTELY,
          RollCycles.TWENTY_MINUTELY,
          RollCycles.HALF_HOURLY,
          RollCycles.FAST_HOURLY,
          RollCycles.TWO_HOURLY,
          RollCycles.FOUR_HOURLY,
          RollCycles.SIX_HOURLY);

  /** The possible roll cycles, from 5 minutes to 6 hours. */
  public static final List<Duration> ROLL_CYCLES =
      CYCLES.stream().map(ServiceFiles::length).toList();

  static final ServiceFiles DEFAULT = new ServiceFiles(null, null);

  public ServiceFiles {
    if (rollCycle != null && !ROLL_CYCLES.contains(rollCycle)) {
      throw new IllegalArgumentException(
          "roll cycle %s (possible: %s)".formatted(rollCycle, ROLL_CYCLES));
    }
  }

  /** The roll cycle of Chronicle, or the one of the backend if none is given. */
  RollCycle roll(RollCycle otherwise) {
    return Stream.ofNullable(rollCycle)
        .flatMap(wanted -> CYCLES.stream().filter(it -> length(it).equals(wanted)))
        .findFirst()
        .orElse(otherwise);
  }

  static Duration length(RollCycle cycle) {
    return Duration.ofMillis(cycle.lengthInMillis());
  }
}
