/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.queue.QueueOutage;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.service.PartitionView;
import io.forebay.service.ServiceError;
import io.forebay.service.ServiceState;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * A service at one moment.
 *
 * @param state the worst of its partitions in this instance, with its reason; WAITING also if beans
 *     that receive its answers cannot
 * @param partitions all of them, in order
 * @param lockHolder the session that holds a lock for which it waits; null if it waits for none, or
 *     that is not known
 */
public record ServiceView(
    String name,
    ServiceState state,
    List<PartitionView> partitions,
    ServiceCounts counts,
    @Nullable LockHolder lockHolder) {

  private static final Set<ServiceState.Phase> NOT_ACCEPTING =
      Set.of(ServiceState.Phase.FAILED, ServiceState.Phase.DRAINING, ServiceState.Phase.DRAINED);

  private static final Set<QueueRefused.Reason> NOT_READABLE =
      Set.of(QueueRefused.Reason.UNAVAILABLE, QueueRefused.Reason.FAILED);

  public ServiceView {
    partitions = List.copyOf(partitions);
  }

  /** Whether it waits for a lock of another session of the database, which may be unknown. */
  public boolean waitsForLock() {
    return lockHolder != null
        || state.waitsForLock()
        || partitions.stream()
            .map(PartitionView::state)
            .anyMatch(it -> it != null && it.waitsForLock());
  }

  /** An upper bound of the messages that wait; empty if it is unknown for a partition. */
  public OptionalLong behind() {
    LongStream.Builder figures = LongStream.builder();
    for (PartitionView partition : partitions) {
      OptionalLong behind = partition.behind();
      if (behind.isEmpty()) {
        return behind;
      }
      figures.add(behind.getAsLong());
    }
    return OptionalLong.of(figures.build().sum());
  }

  /** When the oldest waiting message was appended; null if none waits or it is unknown. */
  public @Nullable Instant oldest() {
    return partitions.stream()
        .map(PartitionView::oldest)
        .filter(Objects::nonNull)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  /** The longest-lasting reason why a partition is not performed. */
  public Optional<QueueOutage> stall() {
    return partitions.stream()
        .flatMap(it -> it.stall().stream())
        .min(Comparator.comparing(QueueOutage::since));
  }

  /** The last error that made a partition wait or fail; null if there was none. */
  public @Nullable ServiceError lastError() {
    return partitions.stream()
        .map(PartitionView::lastError)
        .filter(Objects::nonNull)
        .max(Comparator.comparing(ServiceError::at))
        .orElse(null);
  }

  /**
   * Whether every partition of the in-queue accepts messages and has an instance that works on it,
   * the out-queue can be read, and no partition waits for an operator or is drained. An unavailable
   * database does not matter: messages are still accepted.
   */
  public boolean accepts() {
    return !NOT_ACCEPTING.contains(state.phase())
        && partitions.stream()
            .allMatch(it ->
                it.in().refusal() == null
                    && isReadable(it.out().refusal())
                    && it.ownerless() == null);
  }

  /**
   * Whether its results cannot be stored because a disk is full. It performs nothing until there is
   * room.
   */
  public boolean hasNoRoomForResults() {
    return state.waitsForDisk()
        || partitions.stream()
            .map(it -> it.out().refusal())
            .anyMatch(it -> it != null && it.reason() == QueueRefused.Reason.DISK);
  }

  private static boolean isReadable(QueueStats.@Nullable Refusal refusal) {
    return refusal == null || !NOT_READABLE.contains(refusal.reason());
  }
}
