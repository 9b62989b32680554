/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.place;

import java.time.Duration;
import java.util.List;
import net.openhft.chronicle.queue.RollCycle;
import net.openhft.chronicle.queue.RollCycles;

/** How long queues may write to one file. */
public final class FileLengths {

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
  public static final List<Duration> POSSIBLE = CYCLES.stream().map(FileLengths::of).toList();

  private FileLengths() {}

  public static Duration of(RollCycle cycle) {
    return Duration.ofMillis(cycle.lengthInMillis());
  }

  /** The roll cycle of a {@link #POSSIBLE} duration. */
  public static RollCycle cycle(Duration possible) {
    return CYCLES.get(POSSIBLE.indexOf(possible));
  }
}
