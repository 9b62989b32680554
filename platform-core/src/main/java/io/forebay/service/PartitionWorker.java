/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.linux.CpuBinding;
import io.forebay.machine.Machine;
import io.forebay.queue.Fenced;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.PositionOutOfRange;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.Subscription;
import io.forebay.service.progress.Disagreement;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread of one partition: it repeats the steps of the {@link PartitionLoop}, opens it again
 * when the queue was unavailable, and fails the partition when an operator has to act.
 */
final class PartitionWorker<I, O> implements Runnable {

  /** How long a call may still wait for its result when the worker has to end. */
  private static final Duration LAST_WAIT = Duration.ofSeconds(5);

  private final ServiceParts<I, O> parts;
  private final MessageQueue in;
  private final int partition;
  private final CpuBinding cpus;
  private final Standing standing;
  private final Workload workload = new Workload();
  private final Waits waits;
  private final PartitionLoop<I, O> loop;
  private final Thread thread;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final CountDownLatch compared = new CountDownLatch(1);
  private volatile boolean lost;

  PartitionWorker(ServiceParts<I, O> parts, int partition, CpuBinding cpus) {
    this.parts = parts;
    this.in = parts.in().queue();
    this.partition = partition;
    this.cpus = cpus;
    this.standing = new Standing(parts.place(partition));
    this.waits = new Waits(parts.options(), parts.time(), standing, workload, compared::countDown);
    this.loop = new PartitionLoop<>(parts, partition, standing, workload, waits);
    this.thread = Machine.thread("forebay-" + parts.name() + "-" + partition).unstarted(this);
  }

  void start() {
    thread.start();
  }

  /** A call in progress may end, unless the service rests: then it could end before. */
  void stop() {
    waits.stop(parts.orders().rest() == null ? LAST_WAIT : Duration.ZERO);
    wake();
  }

  /**
   * Ends the worker because another instance works on the partition, or soon will; it has not
   * waited for this one.
   */
  void lose() {
    lost = true;
    stop();
  }

  void wake() {
    LockSupport.unpark(thread);
  }

  /** Waits for the end of the thread; returns whether it has ended. */
  boolean join(Duration atMost) {
    return Machine.awaitEnd(thread, atMost);
  }

  /**
   * Waits until the partition has been compared with its progress, or until the comparison has to
   * wait for an unavailable resource.
   */
  boolean awaitCompared(Duration timeout) throws InterruptedException {
    return Machine.await(compared, timeout);
  }

  boolean awaitEnd(Duration timeout) throws InterruptedException {
    return Machine.await(ended, timeout);
  }

  Standing standing() {
    return standing;
  }

  /** The state as shown to others; includes a reason if the current batch does not end. */
  ServiceState state() {
    return standing.state(workload.inHand());
  }

  long answeredPosition() {
    return loop.answeredPosition();
  }

  long safePosition() {
    return loop.safePosition();
  }

  Workload workload() {
    return workload;
  }

  @Override
  public void run() {
    try {
      cpus.bind();
      Waits.Pauses pauses = waits.new Pauses();
      while (true) {
        try {
          serve();
          return;
        } catch (QueueUnavailable | PositionOutOfRange e) {
          // Its tailer and appender are no longer usable, or the queue has lost messages: start
          // over, with the comparison.
          compared.countDown();
          standing.await(e);
          pauses.sleep();
        } catch (Fenced e) {
          standing.fenced(e);
          if (!waits.isStopping()) { // only the consumer decides who works on the partition
            parts.subscription().get().ifPresent(Subscription::rejoin);
          }
          return;
        }
        waits.mustGoOn();
      }
    } catch (Waits.Stopped e) {
      stopped();
    } catch (Throwable e) {
      fail(e);
    } finally {
      compared.countDown();
      ended.countDown();
    }
  }

  private void serve() {
    try (loop) {
      loop.open();
      compared.countDown();
      do {
        waits.mustGoOn();
      } while (loop.step() != PartitionLoop.Step.DRAINED);
    }
  }

  private void stopped() {
    if (lost) {
      standing.fenced(
          new Fenced(
              parts.place(partition)
                  + " was reassigned to another instance because this one was not responding",
              null));
    } else {
      loop.stopped();
      standing.enter(ServiceState.Phase.STOPPED, "");
    }
  }

  private void fail(Throwable cause) {
    String place = parts.place(partition);
    String reason =
        "%s failed (position=%,d): %s; it performs nothing more until an operator acts"
            .formatted(place, loop.readUpTo(), cause);
    try {
      if (cause instanceof QueueFailed || cause instanceof Disagreement) {
        in.refuse(partition, String.valueOf(cause.getMessage()));
      } else if (!lost) {
        in.refuseUntilMoved(
            partition, place + " failed (the log has the cause); an operator must act");
        if (lost) { // meanwhile
          in.agreed(partition);
        }
      }
    } finally {
      standing.fail(reason, cause);
    }
  }
}
