/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.machine.Machine;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Ownership;
import io.forebay.queue.QueueOutage;
import io.forebay.queue.QueueStats;
import io.forebay.service.errors.BlockingMessage;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.EnumSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What waits in the partitions of the in-queue, those of other instances too, and whether an
 * instance performs it. Thread-safe.
 */
final class Backlog {

  private static final Set<ServiceState.Phase> ENDED =
      EnumSet.of(ServiceState.Phase.FENCED, ServiceState.Phase.STOPPED);

  private final ServiceParts<?, ?> parts;
  private final Workers<?, ?> workers;
  private final MessageQueue in;
  private final Heads heads;
  private final Ownerless ownerless;

  Backlog(ServiceParts<?, ?> parts, Workers<?, ?> workers) {
    this.parts = parts;
    this.workers = workers;
    in = parts.in().queue();
    heads = new Heads(in);
    ownerless = new Ownerless(parts.name());
  }

  /** See {@link Service#position}. */
  long position(int partition) {
    return in.shared()
        ? workers.of(partition).map(PartitionWorker::safePosition).orElse(-1L)
        : answered(partition);
  }

  private long answered(int partition) {
    return workers.of(partition).map(PartitionWorker::answeredPosition).orElse(-1L);
  }

  /** See {@link Service#nextPosition}. */
  OptionalLong nextPosition(int partition) {
    boolean shared = in.shared();
    long answered = answered(partition);
    if (answered >= 0 && !(shared && isLeftToOthers(partition))) {
      return OptionalLong.of(answered);
    }
    QueueStats stats = in.stats(partition);
    if (shared) {
      OptionalLong kept = parts.factory().progress(partition, stats.first());
      if (kept.isPresent() || ownership(partition).kind() != Ownership.Kind.OWNED) {
        return kept;
      }
    }
    Long passed = stats.passed().get(parts.name());
    return passed != null ? OptionalLong.of(passed) : shared ? OptionalLong.empty() : stats.first();
  }

  /** Whether its thread has ended and another instance may have continued. */
  private boolean isLeftToOthers(int partition) {
    return workers
        .of(partition)
        .map(worker -> ENDED.contains(worker.standing().state().phase()))
        .orElse(true);
  }

  /**
   * Whether an instance works on the partition. Before the start it counts as owned, because
   * another instance may work on it.
   */
  private Ownership ownership(int partition) {
    return workers
        .subscription()
        .map(subscription -> subscription.ownership(partition))
        .orElseGet(Ownership::owned);
  }

  /** See {@link Service#view}. */
  PartitionView view(int partition, @Nullable BlockingMessage waitsFor) {
    QueueStats answers = parts.out().queue().stats(partition);
    Optional<? extends PartitionWorker<?, ?>> worker = workers.of(partition);
    OptionalLong next = nextPosition(partition);
    QueueStats stats = in.stats(partition);
    Optional<Instant> oldest = oldest(partition, next, stats.end());
    if (oldest.isEmpty() && isBefore(next, stats.end())) {
      // It may have been performed since, and then it does not wait; memory has even dropped it.
      next =
          nextPosition(partition).stream()
              .map(it -> Math.min(it, stats.end().getAsLong()))
              .findFirst();
    }
    return new PartitionView(
        partition,
        worker.map(PartitionWorker::state).orElse(null),
        next,
        stats.end(),
        oldest.orElse(null),
        worker.map(it -> it.standing().lastError()).orElse(null),
        ownerless(partition, next, stats, answers.end()).orElse(null),
        stats,
        answers,
        waitsFor);
  }

  private static boolean isBefore(OptionalLong position, OptionalLong end) {
    return position.isPresent() && end.isPresent() && position.getAsLong() < end.getAsLong();
  }

  private Optional<QueueOutage> ownerless(
      int partition, OptionalLong next, QueueStats stats, OptionalLong answered) {
    if (!in.shared()) {
      return Optional.empty();
    }
    Long passed = stats.passed().get(parts.name());
    OptionalLong reached = next.isPresent() || passed == null ? next : OptionalLong.of(passed);
    boolean waits =
        stats.end().isPresent()
            && reached.orElse(stats.first().orElse(0)) < stats.end().getAsLong();
    return ownerless.look(
        partition,
        ownership(partition),
        new Ownerless.Progress(next, answered),
        waits,
        Machine.now());
  }

  /**
   * When the message at the next position was appended. The thread of the partition knows it while
   * it works on that message; otherwise it is read from the queue, once for each position.
   */
  private Optional<Instant> oldest(int partition, OptionalLong next, OptionalLong end) {
    if (next.isEmpty() || next.equals(end)) {
      return Optional.empty();
    }
    OptionalLong inHand =
        workers
            .of(partition)
            .map(worker -> worker.workload().acceptedMicros(next.getAsLong()))
            .orElseGet(OptionalLong::empty);
    return inHand.isPresent() && answered(partition) == next.getAsLong()
        ? Optional.of(Instant.EPOCH.plus(inHand.getAsLong(), ChronoUnit.MICROS))
        : heads.appended(partition, next.getAsLong());
  }
}
