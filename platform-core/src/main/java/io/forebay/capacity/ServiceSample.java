/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * A service at one moment. Counters only grow; one that is smaller than before began anew and
 * leaves a gap. What could not be read is empty, never zero.
 *
 * @param at when all of this was read
 * @param accepted messages accepted so far, over all partitions
 * @param performed messages performed so far; what is in flight is not performed
 * @param writtenBytes bytes its queues appended so far
 * @param oldest when the oldest message not performed was accepted, over the partitions that could
 *     be read; empty if there is none
 * @param partitions how many it has
 * @param unreadPartitions of how many of them the oldest message could not be read
 * @param busy share of the time since the sample before in which its workers were busy, 0 to 1
 * @param paused whether it is paused
 */
public record ServiceSample(
    Instant at,
    OptionalLong accepted,
    OptionalLong performed,
    OptionalLong writtenBytes,
    Optional<Instant> oldest,
    int partitions,
    int unreadPartitions,
    OptionalDouble busy,
    boolean paused) {

  /** Accepted and not performed; a counter read a moment later than the other gives no negative. */
  Figure<Long> unperformed() {
    return accepted.isPresent() && performed.isPresent()
        ? Figure.measured(Math.max(0, accepted.getAsLong() - performed.getAsLong()))
        : Figure.unknown("the counters of the service could not be read");
  }
}
