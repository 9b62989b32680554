/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.capacity.ServiceSample;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.queue.QueueTrouble;
import io.forebay.service.Latency;
import io.forebay.service.Service;
import io.forebay.service.ServiceState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

final class OperatedService implements ServiceOperations {

  private static final Set<ServiceState.Phase> READING =
      Set.of(ServiceState.Phase.RUNNING, ServiceState.Phase.DRAINING);

  private final Service<?, ?> service;
  private final ServiceSampler sampler;

  OperatedService(Service<?, ?> service) {
    this.service = service;
    sampler = new ServiceSampler(service);
  }

  @Override
  public ServiceSample sample(Instant now) {
    return sampler.sample(now);
  }

  @Override
  public String name() {
    return service.name();
  }

  @Override
  public List<String> queues() {
    return List.of(in().name(), service.out().queue().name());
  }

  @Override
  public ServiceView view() {
    Map<Integer, ServiceState> states = service.states();
    List<PartitionView> partitions =
        IntStream.range(0, in().partitions())
            .mapToObj(partition -> partition(partition, states.get(partition)))
            .toList();
    return new ServiceView(
        name(),
        worst(partitions),
        partitions,
        new ServiceCounts(service.performed(), 0, service.deadLetters(), service.refused()));
  }

  /**
   * The worst of the states in the view, so that the view does not contradict itself; a trouble of
   * the queues takes precedence because it explains those of the partitions.
   */
  private ServiceState worst(List<PartitionView> partitions) {
    return Stream.of(
            service.trouble().stream(),
            partitions.stream().flatMap(OperatedService::waiting),
            partitions.stream().map(PartitionView::state).filter(Objects::nonNull))
        .flatMap(Function.identity())
        .max(ServiceState.byPhase())
        .orElseGet(service::state);
  }

  private static Stream<ServiceState> waiting(PartitionView view) {
    QueueTrouble ownerless = view.ownerless();
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
    return failure(in().name(), view.in())
        .or(() -> failure(service.out().queue().name(), view.out()))
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

  private PartitionView partition(int partition, @Nullable ServiceState state) {
    OptionalLong position = service.nextPosition(partition);
    QueueStats stats = in().stats(partition);
    return explained(
        new PartitionView(
            partition,
            state,
            position,
            stats.end(),
            service.oldestUnperformed(partition).orElse(null),
            service.lastError(partition),
            service.ownerless(partition).orElse(null),
            stats,
            service.out().queue().stats(partition)));
  }

  @Override
  public Optional<Duration> keptFor() {
    return in().keptFor();
  }

  @Override
  public boolean keepsUnperformed() {
    return in().keepsWhatIsNeeded();
  }

  @Override
  public void pause(String reason) {
    service.pause(reason);
  }

  @Override
  public void hold(String reason) {
    service.hold(reason);
  }

  @Override
  public void release() {
    service.release();
  }

  @Override
  public void resume() {
    service.resume();
  }

  @Override
  public boolean drain(Duration timeout) throws InterruptedException {
    in().stopAccepting();
    return service.drain(timeout);
  }

  @Override
  public List<SetAside> setAside(int partition) {
    List<SetAside> damaged = new ArrayList<>();
    IllegalStateException sound = null;
    for (MessageQueue queue : List.of(in(), service.out().queue())) {
      try {
        damaged.add(new SetAside(queue.name(), queue.setAside(partition)));
      } catch (IllegalStateException e) {
        sound = e;
      }
    }
    if (damaged.isEmpty() && sound != null) {
      throw sound;
    }
    return damaged;
  }

  @Override
  public Latency latency() {
    return service.latency();
  }

  private MessageQueue in() {
    return service.in().queue();
  }
}
