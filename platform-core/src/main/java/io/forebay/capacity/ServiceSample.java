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
 * A service at one moment. Counters never decrease; a smaller value means that the counter was
 * reset and leaves a gap. A figure that could not be read is empty, never zero.
 *
 * @param at when the figures were read
 * @param accepted messages accepted so far, over all partitions
 * @param performed messages performed so far, without those in flight
 * @param failed those of them that had no effect: they failed, expired or could not be decoded
 * @param lost share of the time since the previous sample that its workers lost to statements that
 *     fail, counted when a try ends; so it may exceed 1
 * @param writtenBytes bytes its queues appended so far
 * @param oldest when the oldest message not performed was accepted, of the partitions that could be
 *     read; empty if there is none
 * @param partitions the number of partitions
 * @param unreadPartitions the number of partitions whose oldest message could not be read
 * @param busy share of the time since the previous sample in which its workers were busy, 0 to 1
 * @param paused whether it is paused
 */
public record ServiceSample(
    Instant at,
    OptionalLong accepted,
    OptionalLong performed,
    long failed,
    double lost,
    OptionalLong writtenBytes,
    Optional<Instant> oldest,
    int partitions,
    int unreadPartitions,
    OptionalDouble busy,
    boolean paused) {

  /**
   * Accepted minus performed messages; never negative, although the counters are read at different
   * moments.
   */
  Figure<Long> unperformed() {
    return accepted.isPresent() && performed.isPresent()
        ? Figure.measured(Math.max(0, accepted.getAsLong() - performed.getAsLong()))
        : Figure.unknown("the counters of the service could not be read");
  }
}
