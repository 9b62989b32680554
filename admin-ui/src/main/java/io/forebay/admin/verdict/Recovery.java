/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A service that has caught up, or a volume that has room again, lately.
 *
 * @param since when it recovered
 * @param late how long messages of the service waited longer than the limit
 * @param away how long the longest outage of its database was
 * @param slow how long its database was slower than usual
 * @param full how long the volume was full
 * @param refused how many messages the services refused meanwhile
 */
public record Recovery(
    @Nullable String service,
    @Nullable String volume,
    Instant since,
    Duration late,
    Duration away,
    Duration slow,
    Duration full,
    long refused) {

  /** How long it is shown, so that nobody wonders where an alert went. */
  static final Duration SHOWN = Duration.ofMinutes(5);

  static Recovery ofService(
      String service, Instant since, Duration late, Duration away, Duration slow) {
    return new Recovery(service, null, since, late, away, slow, Duration.ZERO, 0);
  }

  static Recovery ofVolume(String volume, Instant since, Duration full, long refused) {
    return new Recovery(
        null, volume, since, Duration.ZERO, Duration.ZERO, Duration.ZERO, full, refused);
  }
}
