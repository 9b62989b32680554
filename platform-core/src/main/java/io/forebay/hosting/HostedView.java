/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.operations.LockHolder;
import io.forebay.operations.ServiceCounts;
import io.forebay.operations.ServiceView;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueOutage;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.service.PartitionView;
import io.forebay.service.Service;
import io.forebay.service.ServiceState;
import io.forebay.service.errors.BlockingMessage;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes the view of a service and its queues. */
final class HostedView {

  private static final Set<ServiceState.Phase> READING =
      Set.of(ServiceState.Phase.RUNNING, ServiceState.Phase.DRAINING);

  private final Service<?, ?> service;
  private final IntFunction<@Nullable BlockingMessage> waitsFor;
  private final MessageQueue in;
  private final MessageQueue out;

  /**
   * @param waitsFor the message that a partition retries without success
   */
  HostedView(Service<?, ?> service, IntFunction<@Nullable BlockingMessage> waitsFor) {
    this.service = service;
    this.waitsFor = waitsFor;
    this.in = service.in().queue();
    this.out = service.out().queue();
  }

  /**
   * @param failed how many calls it answered with a failure
   * @param receiving the state of the beans that receive its answers, if they cannot
   * @param lockHolder the session that holds a lock for which it waits
   */
  ServiceView of(long failed, Optional<ServiceState> receiving, Optional<LockHolder> lockHolder) {
    List<PartitionView> partitions =
        IntStream.range(0, in.partitions())
            .mapToObj(it -> explained(service.view(it, waitsFor.apply(it))))
            .toList();
    return new ServiceView(
        service.name(),
        worst(partitions, receiving),
        partitions,
        new ServiceCounts(
            service.performed(),
            failed,
            service.deadLetters(),
            service.declined(),
            service.refused()),
        lockHolder.orElse(null));
  }

  /**
   * The worst of the states in the view, so that the view does not contradict itself; an outage of
   * the queues takes precedence because it explains those of the partitions.
   */
  private ServiceState worst(List<PartitionView> partitions, Optional<ServiceState> receiving) {
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
  private PartitionView explained(PartitionView view) {
    ServiceState state = view.state();
    if (state == null || !READING.contains(state.phase())) {
      return view;
    }
    return failure(in.name(), view.in())
        .or(() -> failure(out.name(), view.out()))
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
