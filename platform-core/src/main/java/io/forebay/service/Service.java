/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.call.Protocol;
import io.forebay.machine.Machine;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.Subscription;
import io.forebay.service.errors.BlockedMessages;
import io.forebay.service.errors.BlockingMessage;
import io.forebay.service.errors.CallLog;
import io.forebay.service.errors.DeadLetterQueue;
import io.forebay.service.errors.ErrorPolicy;
import io.forebay.service.progress.HostedProgress;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Runs a component between two queues. Each partition assigned to this instance has its own thread
 * ({@code forebay-<service>-<partition>}), component, and position in the in-queue.
 *
 * <p>Every message is performed, in order, and its answers go to the same partition of the
 * out-queue, in the same order, as one frame that carries the position it answers. After a crash
 * the service resumes behind the last answered message, or at the position that a {@link
 * io.forebay.service.progress.Resumable} component returns. A component that is not resumable is
 * called again for the message during which the process died.
 *
 * <p>Thread-safe.
 *
 * @param <I> the protocol of the in-queue, which the component implements
 * @param <O> the protocol of the out-queue
 */
public final class Service<I, O> implements AutoCloseable {

  private final String name;
  private final End<I> in;
  private final End<O> out;
  private final Orders orders = new Orders();
  private final Counts counts = new Counts();
  private final BlockedMessages blocked = new BlockedMessages();
  private final Workers<I, O> workers;
  private final Backlog backlog;
  private final Object lifecycle = new Object();

  private volatile ServiceState own = state(ServiceState.Phase.IDLE, "not started");

  /**
   * One side of a service.
   *
   * @param queue its messages; both sides have as many partitions
   * @param protocol the protocol of its messages
   */
  public record End<T>(MessageQueue queue, Protocol<T> protocol) {}

  /**
   * A service that stores nothing outside of its queues. With a component that is not resumable it
   * does not detect that the in-queue was replaced.
   *
   * @param name unique among the services of the in-queue: it is the consumer's name there, and
   *     names the progress
   */
  public Service(
      String name, End<I> in, End<O> out, ComponentFactory<I, O> factory, ServiceOptions options) {
    this(name, in, out, factory, options, HostedProgress.none(), null);
  }

  /**
   * @param name unique among the services of the in-queue: it is the consumer's name there, and
   *     names the progress
   * @param remembered stores which queue it performs, for a component that is not resumable
   * @param deadLetters stores messages whose component throws, see {@link ServiceOptions#onError};
   *     if null, such a message fails the partition
   */
  public Service(
      String name,
      End<I> in,
      End<O> out,
      ComponentFactory<I, O> factory,
      ServiceOptions options,
      HostedProgress remembered,
      @Nullable DeadLetterQueue deadLetters) {
    this.name = name;
    this.in = in;
    this.out = out;
    ServiceParts<I, O> parts =
        new ServiceParts<>(
            name,
            in,
            out,
            factory,
            options,
            remembered,
            deadLetters,
            blocked,
            orders,
            counts,
            new CallLog(() -> Instant.EPOCH.plusNanos(options.time().epochNanos())),
            this::subscription,
            options.time());
    workers = new Workers<>(parts);
    backlog = new Backlog(parts, workers);
  }

  public String name() {
    return name;
  }

  /**
   * Starts to work on the partitions assigned to this instance. On a local queue it waits until
   * each has been compared with the progress of the component, so that no later message is accepted
   * at a wrong position. It waits at most 15 s, and not if something that the component needs is
   * unavailable.
   */
  public void start() {
    synchronized (lifecycle) {
      if (isStarted()) {
        throw new IllegalStateException("service " + name + " is already started");
      }
      orders.drain(false);
      own = state(ServiceState.Phase.IDLE, "no partition is assigned to this instance");
      workers.start();
    }
    if (!in.queue().shared()) {
      workers.awaitCompared();
    }
  }

  /** Whether it was started and not stopped. */
  public boolean isStarted() {
    return workers.subscription().isPresent();
  }

  /** Pauses after the current batch until {@link #resume()}. The queue still accepts messages. */
  public synchronized void pause(String reason) {
    orders.rest(new Orders.Rest(ServiceState.Phase.PAUSED, reason));
  }

  /**
   * Like {@link #pause}, but for the program and not for an operator: it is in phase WAITING until
   * required information is available and the caller {@link #release}s it. Does nothing if it is
   * paused.
   */
  public synchronized void hold(String reason) {
    if (orders.rest() == null) {
      orders.rest(new Orders.Rest(ServiceState.Phase.WAITING, reason));
    }
  }

  /** Ends a hold. A service that was paused in the meantime stays paused. */
  public synchronized void release() {
    Orders.Rest now = orders.rest();
    if (now != null && now.phase() == ServiceState.Phase.WAITING) {
      resume();
    }
  }

  /** Ends a pause and a hold. */
  public synchronized void resume() {
    orders.rest(null);
    workers.wake();
  }

  /**
   * Performs and answers all messages in the in-queue, marks the progress as drained and ends.
   * Nothing may be appended during that time. Afterwards another queue may replace this one.
   *
   * <p>On a shared queue this drains the partitions of this instance; the queue is drained when all
   * instances have done so.
   *
   * @return whether draining finished within the timeout; if not, it continues
   * @throws IllegalStateException if it is not started
   */
  public boolean drain(Duration timeout) throws InterruptedException {
    synchronized (lifecycle) {
      if (!isStarted()) {
        throw new IllegalStateException(
            "service " + name + " works on no partition; start it, then drain it");
      }
    }
    orders.drain(true);
    resume();
    return workers.awaitDrained(timeout);
  }

  /** The worst state of its partitions, with its reason, or the outage of its queues. */
  public ServiceState state() {
    ServiceState state =
        workers.stream().map(PartitionWorker::state).max(ServiceState.byPhase()).orElse(own);
    return outage().filter(outage -> outage.phase().compareTo(state.phase()) >= 0).orElse(state);
  }

  /** The state caused by the outage of a queue, whatever its partitions do. */
  public Optional<ServiceState> outage() {
    return in.queue()
        .outage()
        .or(() -> out.queue().outage())
        .or(() -> workers.subscription().flatMap(Subscription::outage))
        .map(outage ->
            new ServiceState(
                outage.reason() == QueueRefused.Reason.UNAVAILABLE
                    ? ServiceState.Phase.WAITING
                    : ServiceState.Phase.FAILED,
                outage.text(),
                outage.since(),
                null));
  }

  /** The state of each partition assigned to this instance; after a stop, the last states. */
  public Map<Integer, ServiceState> states() {
    return workers.states();
  }

  /**
   * The position behind the last message performed and answered, on a shared queue safely; or -1
   * before the start and if the partition is not assigned to this instance.
   */
  public long position(int partition) {
    return backlog.position(partition);
  }

  /**
   * The position of the first message of a partition that is not known to be performed and
   * answered. For a partition of another instance it is the stored progress of the component or,
   * without one, the position that the other instance last reported to the queue.
   *
   * @return empty if it is unknown
   */
  public OptionalLong nextPosition(int partition) {
    return backlog.nextPosition(partition);
  }

  /**
   * A partition at this moment.
   *
   * @param waitsFor the message that it retries without success; null if there is none
   */
  public PartitionView view(int partition, @Nullable BlockingMessage waitsFor) {
    return backlog.view(partition, waitsFor);
  }

  /** How long the threads of its partitions have been busy. */
  public Work work() {
    return workers.work();
  }

  /**
   * The time spent on batches, including the current one; not the time without messages, or while
   * something that the component needs was unavailable.
   *
   * @param partitions how many are assigned to this instance
   * @param nanos the sum of their busy time; reset at a restart
   */
  public record Work(int partitions, long nanos) {}

  /** How many messages this object has performed. */
  public long performed() {
    return counts.performed().sum();
  }

  /** How many messages this object could not decode, or gave up. */
  public long deadLetters() {
    return counts.deadLetters().sum();
  }

  /** How many messages its component declined; see {@link ErrorPolicy#withDeclining}. */
  public long declined() {
    return counts.declined().sum();
  }

  /** The messages whose component keeps throwing. */
  public BlockedMessages blocked() {
    return blocked;
  }

  /** How many messages of this protocol's writers the in-queue refused. */
  public long refused() {
    return in.protocol().refused();
  }

  public Latency latency() {
    return counts.latency();
  }

  /**
   * Finishes the current batch and releases everything except the queues. The service may be
   * started again.
   */
  public void stop() {
    synchronized (lifecycle) {
      workers.stop();
    }
  }

  @Override
  public void close() {
    stop();
  }

  @Override
  public String toString() {
    return "service " + name + " (" + state() + ")";
  }

  /** The in-queue and its protocol. */
  public End<I> in() {
    return in;
  }

  /** The out-queue and its protocol. */
  public End<O> out() {
    return out;
  }

  private Optional<Subscription> subscription() {
    return workers.subscription();
  }

  static ServiceState state(ServiceState.Phase phase, String reason) {
    return new ServiceState(phase, reason, Machine.now(), null);
  }
}
