/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.capacity.Figure;
import io.forebay.queue.Storage;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The rate at which each queue of a volume grows, as the mean of up to an hour. Thread-safe. */
final class QueueRates {

  private static final Duration LEAST = Duration.ofMinutes(1);
  private static final Duration HALF = Duration.ofMinutes(30);

  /** The beginning of the time, and the next one. */
  private @Nullable Counted first;

  private @Nullable Counted next;
  private Counted now = new Counted(Instant.EPOCH, Map.of());

  private record Counted(Instant at, Map<String, Long> appended) {}

  synchronized void add(Instant at, Collection<Storage.OfQueue> queues) {
    now =
        new Counted(
            at,
            queues.stream()
                .collect(Collectors.toMap(Storage.OfQueue::queue, Storage.OfQueue::appendedBytes)));
    if (first == null || next == null || next.at.isAfter(at)) { // also if the clock was set back
      first = now;
      next = now;
    } else if (!next.at.plus(HALF).isAfter(at)) {
      first = next;
      next = now;
    }
  }

  /** Bytes per second that are appended to a queue. */
  synchronized Figure<Double> perSecond(String queue) {
    return seconds().map(seconds -> grown(queue) / seconds);
  }

  private Figure<Double> seconds() {
    if (first == null || first.at.plus(LEAST).isAfter(now.at)) {
      return Figure.unknown("needs a minute of sampling");
    }
    return Figure.measured(Duration.between(first.at, now.at).toMillis() / 1e3);
  }

  /** The growth of a counter; one that was reset counts from zero. */
  private double grown(String queue) {
    long end = now.appended.getOrDefault(queue, 0L);
    long begin = first == null ? 0 : first.appended.getOrDefault(queue, 0L);
    return end >= begin ? end - begin : end;
  }
}
