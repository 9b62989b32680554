/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.host;

import io.forebay.capacity.Figure;
import io.forebay.queue.Storage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The rate at which each queue of a volume grows, as the mean of up to an hour. Thread-safe. */
final class QueueRates {

  private static final Duration STEP = Duration.ofMinutes(1);
  private static final Duration REACH = Duration.ofHours(1);

  private final Deque<Counted> past = new ArrayDeque<>();
  private Counted now = new Counted(Instant.EPOCH, Map.of());

  private record Counted(Instant at, Map<String, Long> appended) {}

  synchronized void add(Instant at, Collection<Storage.OfQueue> queues) {
    Map<String, Long> appended = new HashMap<>();
    queues.forEach(it -> appended.put(it.queue(), it.appendedBytes()));
    now = new Counted(at, appended);
    if (!past.isEmpty() && past.getLast().at.isAfter(at)) {
      past.clear(); // the clock was set back
    }
    if (past.isEmpty() || !past.getLast().at.plus(STEP).isAfter(at)) {
      past.addLast(now);
    }
    while (past.getFirst().at.plus(REACH).isBefore(at)) {
      past.removeFirst();
    }
  }

  /** Bytes per second that are appended to a queue. */
  synchronized Figure<Double> perSecond(String queue) {
    return seconds().map(seconds -> grown(queue) / seconds);
  }

  /** The share of all bytes that is appended to these queues, 0 to 1. */
  synchronized Figure<Double> share(Collection<String> queues) {
    return seconds()
        .then(_ -> {
          double all = sum(now.appended.keySet());
          return all > 0
              ? Figure.measured(sum(Set.copyOf(queues)) / all)
              : Figure.unknown("nothing was written for an hour");
        });
  }

  private double sum(Set<String> queues) {
    return queues.stream().mapToDouble(this::grown).sum();
  }

  private Figure<Double> seconds() {
    if (past.isEmpty() || past.getFirst().at.plus(STEP).isAfter(now.at)) {
      return Figure.unknown("needs a minute of sampling");
    }
    return Figure.measured(Duration.between(past.getFirst().at, now.at).toMillis() / 1e3);
  }

  /** The growth of a counter; one that was reset counts from zero. */
  private double grown(String queue) {
    long end = now.appended.getOrDefault(queue, 0L);
    long begin = past.getFirst().appended.getOrDefault(queue, 0L);
    return end >= begin ? end - begin : end;
  }
}
