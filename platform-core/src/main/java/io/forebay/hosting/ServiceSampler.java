/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.capacity.ServiceSample;
import io.forebay.machine.Machine;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueCounters;
import io.forebay.service.Service;
import io.forebay.service.ServiceState;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Reads the counters of a service. "Accepted" is the end of its in-queue, "performed" the progress
 * of its partitions. So both continue across a restart, and their difference is what waits.
 * Thread-safe.
 */
final class ServiceSampler {

  private final Service<?, ?> service;
  private @Nullable Busy before;
  private int knownBefore;

  private record Busy(long atNanos, Service.Work work) {}

  ServiceSampler(Service<?, ?> service) {
    this.service = service;
  }

  /**
   * @param failed messages performed so far that had no effect
   */
  synchronized ServiceSample sample(Instant now, long failed) {
    boolean paused = service.state().phase() == ServiceState.Phase.PAUSED;
    OptionalDouble busy = busy();
    try {
      return sample(now, failed, busy, paused);
    } catch (IllegalStateException closed) {
      int partitions = service.in().queue().partitions();
      return new ServiceSample(
          now,
          OptionalLong.empty(),
          OptionalLong.empty(),
          failed,
          OptionalLong.empty(),
          Optional.empty(),
          partitions,
          partitions,
          busy,
          paused);
    }
  }

  private ServiceSample sample(Instant now, long failed, OptionalDouble busy, boolean paused) {
    MessageQueue in = service.in().queue();
    Sum accepted = new Sum();
    Sum performed = new Sum();
    Sum written = new Sum();
    Instant oldest = null;
    int unread = 0;
    int known = 0;
    for (int partition = 0; partition < in.partitions(); partition++) {
      known += service.position(partition) >= 0 ? 1 : 0;
      // In this order, so that a message performed in between does not count as waiting or unread.
      OptionalLong position = service.nextPosition(partition);
      QueueCounters counters = in.counters(partition);
      Optional<Instant> head = service.oldestUnperformed(partition);
      accepted.add(counters.end());
      performed.add(position);
      written.add(counters.appendedBytes());
      written.add(service.out().queue().counters(partition).appendedBytes());
      if (head.isPresent()) {
        oldest = oldest == null || head.get().isBefore(oldest) ? head.get() : oldest;
      } else if (waits(partition, counters.end())) {
        unread++;
      }
    }
    // When a partition's position first becomes known, "performed" jumps although nothing was
    // performed; report a gap instead.
    boolean moved = known != knownBefore;
    knownBefore = known;
    return new ServiceSample(
        now,
        accepted.value(),
        moved ? OptionalLong.empty() : performed.value(),
        failed,
        written.value(),
        Optional.ofNullable(oldest),
        in.partitions(),
        unread,
        busy,
        paused);
  }

  /** Whether a partition has messages to perform before the end, or that is unknown. */
  private boolean waits(int partition, OptionalLong end) {
    OptionalLong position = service.nextPosition(partition);
    return position.isEmpty() || end.isEmpty() || position.getAsLong() < end.getAsLong();
  }

  /**
   * The busy share since the previous sample; empty for the first sample and if no partition is
   * worked on.
   */
  private OptionalDouble busy() {
    Busy last = before;
    Busy now = new Busy(Machine.nanos(), service.work());
    before = now;
    if (last == null || now.work.partitions() == 0 || now.work.nanos() < last.work.nanos()) {
      return OptionalDouble.empty();
    }
    double elapsed = (double) Math.max(1, now.atNanos - last.atNanos) * now.work.partitions();
    return OptionalDouble.of(Math.clamp((now.work.nanos() - last.work.nanos()) / elapsed, 0, 1));
  }

  /** A sum that is empty if one of its figures is. */
  private static final class Sum {
    private long sum;
    private boolean complete = true;

    void add(OptionalLong figure) {
      sum += figure.orElse(0);
      complete &= figure.isPresent();
    }

    OptionalLong value() {
      return complete ? OptionalLong.of(sum) : OptionalLong.empty();
    }
  }
}
