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
  private @Nullable Busy before;
  private long knownBefore;

  private record Busy(long atNanos, Service.Work work) {}

  ServiceSampler(Service<?, ?> service) {
    this.service = service;
  }

  /**
   * @param rejected the messages that failed by themselves so far
   */
  synchronized ServiceSample sample(Instant now, ServiceView view, long rejected) {
    List<PartitionView> partitions = view.partitions();
    // When a partition's position first becomes known, "performed" jumps although nothing was
    // performed; report a gap instead.
    long known = partitions.stream().filter(it -> service.position(it.partition()) >= 0).count();
    boolean moved = known != knownBefore;
    knownBefore = known;
    return new ServiceSample(
        now,
        sum(partitions.stream().map(PartitionView::end)),
        moved ? OptionalLong.empty() : sum(partitions.stream().map(PartitionView::position)),
        view.counts().failed() + view.counts().deadLetters(),
        rejected,
        sum(partitions.stream().flatMap(it -> written(it.partition()))),
        Optional.ofNullable(view.oldest()),
        partitions.size(),
        (int) partitions.stream().filter(ServiceSampler::isUnread).count(),
        busy(),
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
  private static OptionalLong sum(Stream<OptionalLong> figures) {
    List<OptionalLong> all = figures.toList();
    return all.stream().allMatch(OptionalLong::isPresent)
        ? OptionalLong.of(all.stream().mapToLong(OptionalLong::getAsLong).sum())
        : OptionalLong.empty();
  }
}
