/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.place;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.openhft.chronicle.queue.RollCycle;
import net.openhft.chronicle.queue.RollCycles;

/**
 * How long the queues of each service write to one file. It is fixed when a queue is created.
 *
 * @param byService the services with another roll cycle than the backend, by name
 */
public record FileLengths(Map<String, Duration> byService) {

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

  public FileLengths {
    byService = Map.copyOf(byService);
    byService
        .values()
        .forEach(it -> {
          if (!POSSIBLE.contains(it)) {
            throw new IllegalArgumentException(
                "roll cycle %s (possible: %s)".formatted(it, POSSIBLE));
          }
        });
  }

  public static Duration of(RollCycle cycle) {
    return Duration.ofMillis(cycle.lengthInMillis());
  }

  /** The roll cycle of a queue; the one of the backend if its service has none. */
  public RollCycle of(String queue, RollCycle backend) {
    Duration wanted = byService.get(service(queue));
    return wanted == null ? backend : CYCLES.get(POSSIBLE.indexOf(wanted));
  }

  /** The services that have a roll cycle but none of these queues. */
  public List<String> without(Iterable<String> queues) {
    List<String> unused = new ArrayList<>(byService.keySet());
    queues.forEach(queue -> unused.remove(service(queue)));
    return unused;
  }

  /** Queues are named after their service: {@code orders.in}, {@code orders.out}, … */
  private static String service(String queue) {
    int end = queue.lastIndexOf('.');
    return end < 0 ? queue : queue.substring(0, end);
  }
}
