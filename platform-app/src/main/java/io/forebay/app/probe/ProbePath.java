/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import io.forebay.capacity.sweep.PacedLoad;
import io.forebay.hosting.HostedService;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueCounters;
import io.forebay.queue.QueueRefused;
import io.forebay.service.ServiceState;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.locks.LockSupport;

/** What a message passes through until it counts as complete, with queues of its own. */
abstract class ProbePath extends PacedLoad implements AutoCloseable {

  /** How long a message, or the start of a service, may take. */
  static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Nothing needs what was read. */
  static final Duration KEPT = Duration.ofSeconds(1);

  private static final long RETRY_NANOS = 1_000_000;

  private long sent;

  ProbePath() {
    super(PATIENCE);
  }

  /** Appends a message. */
  abstract void append(long due);

  /** What is written to first. */
  abstract MessageQueue in();

  /** All its queues, in the order in which a message passes them. */
  abstract List<MessageQueue> queues();

  /** Closes the queues; the messages stay. */
  @Override
  public abstract void close();

  /** While a queue is full, messages wait. */
  @Override
  protected final void send(long due) throws InterruptedException {
    long begin = System.nanoTime();
    while (true) {
      try {
        append(due);
        sent++;
        return;
      } catch (QueueRefused e) {
        if (e.reason() != QueueRefused.Reason.FULL
            || System.nanoTime() - begin > PATIENCE.toNanos()) {
          throw e;
        }
        LockSupport.parkNanos(RETRY_NANOS);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    }
  }

  /** How many messages were sent. */
  final long sent() {
    return sent;
  }

  /** The bytes that all messages of a queue took; empty if the backend does not know it yet. */
  static OptionalLong bytes(MessageQueue queue) {
    long sum = 0;
    for (int partition = 0; partition < queue.partitions(); partition++) {
      QueueCounters counters = queue.counters(partition);
      OptionalLong bytes =
          counters.appendedBytes().isPresent()
              ? counters.appendedBytes()
              : queue.stats(partition).bytes();
      if (bytes.isEmpty()) {
        return bytes;
      }
      sum += bytes.getAsLong();
    }
    return OptionalLong.of(sum);
  }

  /**
   * Starts a service.
   *
   * @throws IllegalStateException if it does not run within the patience
   */
  static void start(HostedService<?, ?> service) throws InterruptedException {
    service.start();
    long begin = System.nanoTime();
    while (service.state().phase() != ServiceState.Phase.RUNNING) {
      if (service.state().phase() == ServiceState.Phase.FAILED
          || System.nanoTime() - begin > PATIENCE.toNanos()) {
        throw new IllegalStateException(
            "service %s does not run: %s".formatted(service.name(), service.state()));
      }
      Thread.sleep(Duration.ofNanos(RETRY_NANOS));
    }
  }
}
