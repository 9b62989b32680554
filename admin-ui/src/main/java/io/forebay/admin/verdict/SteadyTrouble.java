/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import io.forebay.capacity.Until;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;

/**
 * The times to trouble by which problems are ordered. A forecast keeps its moment until a later one
 * differs from it by more than a tenth of the time left: services with nearly the same time to
 * trouble then do not change places every second. Not thread-safe.
 */
final class SteadyTrouble {

  private static final int PART = 10;

  private final Map<String, Instant> moments = new HashMap<>();

  /** The time from now until the moment that is kept for the service. */
  Until of(String service, Until forecast, Instant now) {
    if (!(forecast instanceof Until.In(Duration left))) {
      moments.remove(service);
      return forecast;
    }
    Instant moment =
        moments.merge(
            service,
            now.plus(left),
            (kept, next) ->
                Duration.between(kept, next).abs().compareTo(left.dividedBy(PART)) > 0
                    ? next
                    : kept);
    return new Until.In(Duration.between(now, moment));
  }
}
