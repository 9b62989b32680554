/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.queue.Ownership;
import io.forebay.queue.QueueOutage;
import io.forebay.queue.QueueRefused;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Detects partitions on which no instance works. A partition that moves between instances has none
 * for a moment. If the queue's server does not report owners, waiting messages without progress
 * count as evidence. Thread-safe.
 */
final class Ownerless {

  /** Longer than a normal reassignment of a partition. */
  static final Duration TOLERATED = Duration.ofSeconds(10);

  private final String service;
  private final Map<Integer, Standstill> standstills = new ConcurrentHashMap<>();

  /**
   * Positions that change while an instance works on the partition.
   *
   * @param next the next position to be performed
   * @param answers the end of its answers
   */
  record Progress(OptionalLong next, OptionalLong answers) {}

  private record Standstill(Progress progress, Instant since) {}

  Ownerless(String service) {
    this.service = service;
  }

  /**
   * @param waits whether messages are known to wait
   */
  Optional<QueueOutage> look(
      int partition, Ownership ownership, Progress progress, boolean waits, Instant now) {
    if (ownership.kind() == Ownership.Kind.OWNED) {
      standstills.remove(partition);
      return Optional.empty();
    }
    Standstill still =
        standstills.compute(
            partition,
            (_, before) ->
                before == null || !before.progress.equals(progress)
                    ? new Standstill(progress, now)
                    : before);
    boolean unknown = ownership.kind() == Ownership.Kind.UNKNOWN;
    Instant since =
        unknown && still.since.isAfter(ownership.since()) ? still.since : ownership.since();
    if ((unknown && !waits) || since.plus(TOLERATED).isAfter(now)) {
      return Optional.empty();
    }
    return Optional.of(
        new QueueOutage(
            QueueRefused.Reason.UNAVAILABLE,
            ("no instance works on partition %d of service %s: %s; its messages are"
                    + " accepted but not performed, see docs/operations.md, \"A partition has no"
                    + " owner\"")
                .formatted(partition, service, ownership.text()),
            since));
  }
}
