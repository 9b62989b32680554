/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.queue.QueueOutage;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.service.errors.BlockingMessage;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * One partition of a service at one moment. Unknown values are empty or null, never a guess.
 *
 * @param state its state in this instance; null if it is not assigned to this instance
 * @param position the first position that is not known to be performed and answered
 * @param end the position the next message will have
 * @param oldest when the message at {@code position} was appended; null if there is none or it
 *     cannot be read
 * @param lastError the last error that made it wait or fail, kept after it resumed; null if there
 *     was none
 * @param ownerless since when no instance works on it, and why; null if one works on it or that is
 *     unknown
 * @param in the partition of the in-queue
 * @param out the partition of the out-queue
 * @param waitsFor the message that it retries without success and that an operator may fail; null
 *     if there is none
 */
public record PartitionView(
    int partition,
    @Nullable ServiceState state,
    OptionalLong position,
    OptionalLong end,
    @Nullable Instant oldest,
    @Nullable ServiceError lastError,
    @Nullable QueueOutage ownerless,
    QueueStats in,
    QueueStats out,
    @Nullable BlockingMessage waitsFor) {

  public PartitionView withState(ServiceState other) {
    return new PartitionView(
        partition, other, position, end, oldest, lastError, ownerless, in, out, waitsFor);
  }

  /** Why its messages are not performed although nothing has failed. */
  public Optional<QueueOutage> stall() {
    if (ownerless != null) {
      return Optional.of(ownerless);
    }
    QueueStats.Hold hold = in.hold();
    return hold == null || position.orElse(hold.from()) > hold.from()
        ? Optional.empty()
        : Optional.of(new QueueOutage(QueueRefused.Reason.UNAVAILABLE, hold.by(), hold.since()));
  }

  /** The number of positions before the end: an upper bound of the messages that wait. */
  public OptionalLong behind() {
    return position.isPresent() && end.isPresent()
        ? OptionalLong.of(Math.max(0, end.getAsLong() - position.getAsLong()))
        : OptionalLong.empty();
  }
}
