/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.text.Formats;
import java.time.Duration;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * @param limit The longest wait that you promise your callers, for services without a limit of
 *     their own.
 * @param limits The limit of a single service, by its name; none: the value of limit.
 */
@ConfigurationProperties("forebay.watch")
record WatchProperties(
    @DefaultValue("5m") Duration limit, @DefaultValue Map<String, Duration> limits) {

  /**
   * @throws IllegalArgumentException if a limit is not longer than zero
   */
  WatchProperties {
    limits = Map.copyOf(limits);
    positive("forebay.watch.limit", limit);
    limits.forEach((service, one) -> positive("forebay.watch.limits." + service, one));
  }

  private static void positive(String property, Duration limit) {
    if (limit.isZero() || limit.isNegative()) {
      throw new IllegalArgumentException(
          "%s must be longer than zero (is %s); it is the longest time that a message may wait"
              .formatted(property, Formats.duration(limit)));
    }
  }

  Duration limit(String service) {
    return limits.getOrDefault(service, limit);
  }
}
