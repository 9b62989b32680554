/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.operations.ServiceCounts;
import io.forebay.operations.ServiceView;
import io.forebay.queue.QueueOutage;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.service.PartitionView;
import io.forebay.service.Service;
import io.forebay.service.ServiceState;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Makes the view of a service and its queues. */
final class HostedView {

  private static final Set<ServiceState.Phase> READING =
      Set.of(ServiceState.Phase.RUNNING, ServiceState.Phase.DRAINING);

  private HostedView() {}

  static ServiceView of(HostedService<?, ?> hosted) {
    Service<?, ?> service = hosted.service();
    List<PartitionView> partitions =
        IntStream.range(0, hosted.in().partitions())
            .mapToObj(it -> explained(hosted, service.view(it, hosted.waitsFor(it))))
            .toList();
    return new ServiceView(
        service.name(),
        worst(service, partitions, hosted.receiving()),
        partitions,
        new ServiceCounts(
            service.performed(),
            hosted.failed(),
            service.deadLetters(),
            service.declined(),
            service.refused()),
        hosted.lockHolder().orElse(null));
  }

  /**
   * The worst of the states in the view, so that the view does not contradict itself; an outage of
   * the queues takes precedence because it explains those of the partitions.
   */
  private static ServiceState worst(
      Service<?, ?> service, List<PartitionView> partitions, Optional<ServiceState> receiving) {
    return Stream.of(
            service.outage().stream(),
            partitions.stream().flatMap(HostedView::waiting),
            partitions.stream().map(PartitionView::state).filter(Objects::nonNull),
            receiving.stream())
        .flatMap(Function.identity())
        .max(ServiceState.byPhase())
        .orElseGet(service::state);
  }

  private static Stream<ServiceState> waiting(PartitionView view) {
    QueueOutage ownerless = view.ownerless();
    return ownerless == null
        ? Stream.empty()
        : Stream.of(
            new ServiceState(
                ServiceState.Phase.WAITING, ownerless.text(), ownerless.since(), null));
  }

  /** Adds what the partition's thread does not know while it waits for messages. */
  private static PartitionView explained(HostedService<?, ?> hosted, PartitionView view) {
    ServiceState state = view.state();
    if (state == null || !READING.contains(state.phase())) {
      return view;
    }
    return failure(hosted.in().name(), view.in())
        .or(() -> failure(hosted.out().name(), view.out()))
        .or(() ->
            view.stall()
                .map(stall -> new ServiceState(state.phase(), stall.text(), stall.since(), null)))
        .map(view::withState)
        .orElse(view);
  }

  /** A queue that takes no more messages until an operator acts fails its partition. */
  private static Optional<ServiceState> failure(String queue, QueueStats stats) {
    QueueStats.Refusal refusal = stats.refusal();
    if (refusal == null || refusal.reason() != QueueRefused.Reason.FAILED) {
      return Optional.empty();
    }
    QueueStats.Damage damage = stats.damage();
    String reason =
        damage == null
            ? "queue %s failed: it accepts nothing; the log has the cause, and an operator has to act"
                .formatted(queue)
            : "queue %s is damaged: at message %,d there is %s; it accepts nothing until an operator sets the damage aside"
                .formatted(queue, damage.position(), damage.what());
    return Optional.of(new ServiceState(ServiceState.Phase.FAILED, reason, refusal.since(), null));
  }
}
