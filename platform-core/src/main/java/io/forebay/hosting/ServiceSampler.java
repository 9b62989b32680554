/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.capacity.ServiceSample;
import io.forebay.machine.Machine;
import io.forebay.operations.ServiceView;
import io.forebay.service.PartitionView;
import io.forebay.service.Service;
import io.forebay.service.ServiceState;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the counters of a service. "Accepted" is the end of its in-queue, "performed" the progress
 * of its partitions. So both continue across a restart, and their difference is what waits.
 * Thread-safe.
 */
final class ServiceSampler {

  private final Service<?, ?> service;
  private @Nullable Work before;
  private long knownBefore;

  private record Work(long atNanos, Service.Work done, long lostNanos) {

    /** The busy share since then; empty if no partition is worked on. */
    OptionalDouble busySince(Work last) {
      return done.partitions() == 0 || done.nanos() < last.done.nanos()
          ? OptionalDouble.empty()
          : OptionalDouble.of(
              Math.clamp((done.nanos() - last.done.nanos()) / workerNanosSince(last), 0, 1));
    }

    double lostSince(Work last) {
      return (lostNanos - last.lostNanos) / workerNanosSince(last);
    }

    private double workerNanosSince(Work last) {
      return (double) Math.max(1, atNanos - last.atNanos) * Math.max(1, done.partitions());
    }
  }

  ServiceSampler(Service<?, ?> service) {
    this.service = service;
  }

  /**
   * @param lostNanos the time that its workers have lost so far to messages that fail
   */
  synchronized ServiceSample sample(Instant now, ServiceView view, long lostNanos) {
    List<PartitionView> partitions = view.partitions();
    // When a partition's position first becomes known, "performed" jumps although nothing was
    // performed; report a gap instead.
    long known = partitions.stream().filter(it -> service.position(it.partition()) >= 0).count();
    boolean moved = known != knownBefore;
    knownBefore = known;
    Work last = before;
    Work work = new Work(Machine.nanos(), service.work(), lostNanos);
    before = work;
    return new ServiceSample(
        now,
        sum(partitions.stream().map(PartitionView::end)),
        moved ? OptionalLong.empty() : sum(partitions.stream().map(PartitionView::position)),
        view.counts().failed() + view.counts().deadLetters(),
        last == null ? 0 : work.lostSince(last),
        sum(partitions.stream().flatMap(it -> written(it.partition()))),
        Optional.ofNullable(view.oldest()),
        partitions.size(),
        (int) partitions.stream().filter(ServiceSampler::isUnread).count(),
        last == null ? OptionalDouble.empty() : work.busySince(last),
        service.state().phase() == ServiceState.Phase.PAUSED);
  }

  /** The bytes of its messages and of their answers. */
  private Stream<OptionalLong> written(int partition) {
    return Stream.of(service.in(), service.out()).map(it -> it.queue().appendedBytes(partition));
  }

  /**
   * Whether the partition has messages to perform, or that is unknown, and their age is unknown.
   */
  private static boolean isUnread(PartitionView partition) {
    return partition.oldest() == null && partition.behind().orElse(1) > 0;
  }

  /** A sum that is empty if one of its figures is. */
  private static OptionalLong sum(Stream<OptionalLong> figures) {
    List<OptionalLong> all = figures.toList();
    return all.stream().allMatch(OptionalLong::isPresent)
        ? OptionalLong.of(all.stream().mapToLong(OptionalLong::getAsLong).sum())
        : OptionalLong.empty();
  }
}
