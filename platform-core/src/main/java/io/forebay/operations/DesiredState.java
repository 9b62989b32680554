/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/**
 * The state that an operator requested for a service; valid until the next request.
 *
 * @param paused whether the service is to be paused or to run
 * @param reason the reason that the operator gave; may be empty
 * @param by the operator
 */
public record DesiredState(String service, boolean paused, String reason, String by, Instant at) {

  /** Whether it is a pause that began at this time, to the millisecond. */
  boolean isPausedSince(@Nullable Instant time) {
    return paused
        && time != null
        && time.truncatedTo(ChronoUnit.MILLIS).equals(at.truncatedTo(ChronoUnit.MILLIS));
  }

  /** Whether the same operator requested the same for the same reason. */
  boolean isRepeatedBy(DesiredState other) {
    return paused == other.paused && reason.equals(other.reason) && by.equals(other.by);
  }
}
