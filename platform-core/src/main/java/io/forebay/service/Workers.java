/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.linux.CpuBinding;
import io.forebay.machine.Machine;
import io.forebay.queue.PartitionListener;
import io.forebay.queue.Subscription;
import io.forebay.text.Formats;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The workers of the partitions that are assigned to this instance. Thread-safe. */
final class Workers<I, O> {

  private static final Logger log = LoggerFactory.getLogger(Workers.class);
  private static final Duration LONGEST_COMPARISON = Duration.ofSeconds(15);

  /** A partition that others may take is given up after this time, although a call goes on. */
  private static final Duration LONGEST_REVOCATION = Duration.ofSeconds(30);

  private final ServiceParts<I, O> parts;
  private final CpuBinding cpus;
  private final Map<Integer, PartitionWorker<I, O>> workers = new ConcurrentHashMap<>();
  private final LongAdder workedByFormer = new LongAdder();

  /**
   * Guards assignments: a shared queue assigns from its own thread, perhaps before {@link #start}
   * returns.
   */
  private final Object assigning = new Object();

  /** Whether the whole service stops; then revoked partitions stay visible as stopped. */
  private volatile boolean stopping;

  private volatile @Nullable Subscription subscription;

  Workers(ServiceParts<I, O> parts) {
    this.parts = parts;
    this.cpus = new CpuBinding("service " + parts.name(), parts.options().cpus());
  }

  /** Subscribes to the in-queue and starts a worker for each partition it assigns. */
  void start() {
    stopping = false;
    synchronized (assigning) {
      workers.clear();
      subscription = parts.in().queue().subscribe(parts.name(), new Assignments());
      workers.values().forEach(PartitionWorker::start);
    }
  }

  /** Waits for the comparisons of all workers, see {@link Service#start}. */
  void awaitCompared() {
    long until = Machine.nanos() + LONGEST_COMPARISON.toNanos();
    try {
      for (PartitionWorker<I, O> worker : workers.values()) {
        worker.awaitCompared(Duration.ofNanos(until - Machine.nanos()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Ends the subscription and with it the workers; does nothing if there is none. */
  void stop() {
    Subscription current = subscription;
    if (current != null) {
      stopping = true;
      current.close();
      subscription = null;
    }
  }

  /** Waits until all workers have drained their partitions; false if one has not. */
  boolean awaitDrained(Duration timeout) throws InterruptedException {
    long until = Machine.nanos() + timeout.toNanos();
    List<PartitionWorker<I, O>> known;
    do { // partitions that another instance gives up may be assigned here
      known = List.copyOf(workers.values());
      for (PartitionWorker<I, O> worker : known) {
        if (!worker.awaitEnd(Duration.ofNanos(until - Machine.nanos()))) {
          return false;
        }
      }
    } while (!known.containsAll(workers.values()));
    return workers.values().stream()
        .allMatch(worker -> worker.standing().state().phase() == ServiceState.Phase.DRAINED);
  }

  void wake() {
    workers.values().forEach(PartitionWorker::wake);
  }

  Optional<Subscription> subscription() {
    return Optional.ofNullable(subscription);
  }

  Stream<PartitionWorker<I, O>> stream() {
    return workers.values().stream();
  }

  /** The worker of a partition; empty if it is not assigned to this instance. */
  Optional<PartitionWorker<I, O>> of(int partition) {
    return Optional.ofNullable(workers.get(partition));
  }

  Map<Integer, ServiceState> states() {
    Map<Integer, ServiceState> states = new ConcurrentHashMap<>();
    workers.forEach((partition, worker) -> states.put(partition, worker.state()));
    return states;
  }

  /** How long the threads of its partitions have been busy. */
  Service.Work work() {
    long nanos = workedByFormer.sum();
    int threads = 0;
    for (PartitionWorker<I, O> worker : workers.values()) {
      nanos += worker.workload().workedNanos();
      threads++;
    }
    return new Service.Work(threads, nanos);
  }

  private final class Assignments implements PartitionListener {

    /** Until when the partitions are waited for that are being revoked. */
    private long revokedBy;

    @Override
    public void revoking(int partition) {
      revokedBy = Machine.nanos() + LONGEST_REVOCATION.toNanos();
      of(partition).ifPresent(PartitionWorker::stop);
    }

    @Override
    public void assigned(int partition) {
      synchronized (assigning) {
        PartitionWorker<I, O> worker = new PartitionWorker<>(parts, partition, cpus);
        workers.put(partition, worker);
        if (subscription != null) {
          worker.start();
        }
      }
    }

    @Override
    public void revoked(int partition) {
      PartitionWorker<I, O> worker = workers.get(partition);
      if (worker != null) {
        worker.stop();
        boolean shared = parts.in().queue().shared();
        if (!worker.join(
            shared ? Duration.ofNanos(revokedBy - Machine.nanos()) : Machine.FOREVER)) {
          log.warn(
              "The call in progress of {} has not ended within {}; another instance takes the"
                  + " partition and performs the call again",
              parts.place(partition),
              Formats.duration(LONGEST_REVOCATION));
          worker.lose();
          subscription().ifPresent(Subscription::rejoin);
        }
        forget(partition, worker);
      }
    }

    /**
     * Another instance may already work on the partition; the thread of this one detects that and
     * ends.
     */
    @Override
    public void lost(int partition) {
      PartitionWorker<I, O> worker = workers.get(partition);
      if (worker != null) {
        worker.lose();
        forget(partition, worker);
      }
    }

    /**
     * Removes a worker whose partition another instance works on now; its end does not affect the
     * state of the service.
     */
    private void forget(int partition, PartitionWorker<I, O> worker) {
      if (!stopping && workers.remove(partition, worker)) {
        workedByFormer.add(worker.workload().workedNanos());
      }
    }
  }
}
