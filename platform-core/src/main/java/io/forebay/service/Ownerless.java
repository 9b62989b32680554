/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.queue.Ownership;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueTrouble;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Notices partitions on which no instance works. A partition that moves from one to another has
 * none for a moment. Where the queue's server does not tell, what waits there and stands still is
 * evidence enough. Thread-safe.
 */
final class Ownerless {

  /** Longer than it takes to hand a partition over. */
  static final Duration TOLERATED = Duration.ofSeconds(10);

  private final String service;
  private final Map<Integer, Standstill> standstills = new ConcurrentHashMap<>();

  /**
   * What changes while somebody works on a partition.
   *
   * @param next the next position to be performed
   * @param answers where its answers end
   */
  record Progress(OptionalLong next, OptionalLong answers) {}

  private record Standstill(Progress progress, Instant since) {}

  Ownerless(String service) {
    this.service = service;
  }

  /**
   * @param waits whether something is to be performed, as far as is known
   */
  Optional<QueueTrouble> look(
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
        new QueueTrouble(
            QueueRefused.Reason.UNAVAILABLE,
            "no instance works on partition %d of service %s: %s; messages are accepted there and not performed, see docs/operations.md, \"A partition has no owner\""
                .formatted(partition, service, ownership.text()),
            since));
  }
}
