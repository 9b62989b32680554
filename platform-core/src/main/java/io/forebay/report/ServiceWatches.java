/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.report;

import io.forebay.capacity.Until;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The watches of all services of the process, in the order of their names. */
public record ServiceWatches(List<ServiceWatch> all) {

  /**
   * The time until each service has performed the messages that wait now; "never" for a paused one.
   * Services whose time is unknown are missing: forecasts then assume that they hold nothing back.
   */
  public Map<String, Until> clears() {
    return all.stream()
        .flatMap(watch ->
            watch.past().lag(watch.limit()).performed().known().stream()
                .map(clear -> Map.entry(watch.name(), clear)))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }
}
