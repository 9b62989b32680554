/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.queue.Appender;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Appends for one thread; at level DISK the committer of the queue acknowledges. */
final class ChronicleAppender implements Appender {

  private static final long NOT_TOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final Duration FULL_RETRY = Duration.ofMillis(10);

  private final String queue;
  private final PartitionLog[] logs;
  private final Committer committer;

  /** Whether the committer acknowledges tickets. Otherwise the return of {@code append} does. */
  private final boolean deferred;

  private long position = UNKNOWN_POSITION;
  private volatile long ticket;
  private volatile long acknowledged;
  private volatile boolean closed;
  private volatile @Nullable Unacknowledged listening;
  private volatile @Nullable QueueFailed failure;

  private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();

  /** The last ticket before the force in progress; written by the committer. */
  private long beforeForce;

  /** A thread in {@link #await}. Hundreds may wait at once, so waiters share no lock. */
  private static final class Waiter {
    private final long ticket;
    private final Thread thread;
    private volatile boolean removed;

    Waiter(long ticket, Thread thread) {
      this.ticket = ticket;
      this.thread = thread;
    }
  }

  ChronicleAppender(String queue, PartitionLog[] logs, Committer committer, boolean deferred) {
    this.queue = queue;
    this.logs = logs;
    this.committer = committer;
    this.deferred = deferred;
  }

  @Override
  public long append(int partition, ByteBuffer message) {
    if (partition < 0 || partition >= logs.length) {
      throw new IllegalArgumentException(
          "queue %s has no partition %d (partitions=%d)".formatted(queue, partition, logs.length));
    }
    Unacknowledged list = listening;
    if (closed || (list != null && list.isFull())) {
      throw refused();
    }
    long number = logs[partition].append(message);
    position = number;
    long next = ticket + 1;
    if (list != null) {
      list.add(next, partition, number);
    }
    ticket = next;
    if (deferred) {
      committer.signal();
    } else if (list != null) {
      list.tellUpTo(next);
    }
    return next;
  }

  private QueueRefused refused() {
    return closed
        ? new QueueRefused(
            QueueRefused.Reason.CLOSED,
            Double.NaN,
            Duration.ZERO,
            "an appender of queue %s is closed; nothing was written".formatted(queue))
        : new QueueRefused(
            QueueRefused.Reason.FULL,
            1,
            FULL_RETRY,
            "the listener of an appender of queue %s is behind by %,d acknowledgements (limit=%<,d); nothing was written; append again when the listener has caught up"
                .formatted(queue, Unacknowledged.LIMIT));
  }

  @Override
  public long ticket() {
    return ticket;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public long acknowledged() {
    return deferred ? acknowledged : ticket;
  }

  @Override
  public void await(long wanted, Duration timeout) throws TimeoutException, InterruptedException {
    if (acknowledged() >= wanted) {
      return;
    }
    long deadline = System.nanoTime() + timeout.toNanos();
    // When append itself acknowledges, nobody wakes threads that wait for a future ticket: poll.
    long slice = deferred ? Long.MAX_VALUE : NOT_TOLD_NANOS;
    Waiter waiter = new Waiter(wanted, Thread.currentThread());
    waiters.add(waiter);
    try {
      while (acknowledged() < wanted) {
        checkHope(wanted);
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          throw new TimeoutException(
              "ticket %,d is not acknowledged after %s (acknowledged=%,d, last=%,d); it may still be acknowledged"
                  .formatted(wanted, timeout, acknowledged(), ticket));
        }
        LockSupport.parkNanos(this, Math.min(left, slice));
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    } finally {
      if (!waiter.removed) {
        waiters.remove(waiter);
      }
    }
  }

  /**
   * @throws QueueFailed if the ticket will never be acknowledged
   */
  private void checkHope(long wanted) {
    QueueFailed failed = failure;
    boolean hopeless = failed != null || (closed && wanted > ticket);
    if (hopeless && acknowledged() < wanted) {
      throw new QueueFailed(
          "ticket %,d is not acknowledged and will not be (acknowledged=%,d, last=%,d): %s"
              .formatted(
                  wanted,
                  acknowledged(),
                  ticket,
                  failed == null ? "its appender is closed" : failed.getMessage()),
          failed);
    }
  }

  @Override
  public void onAcknowledged(AcknowledgementListener listener) {
    Unacknowledged list = listening;
    if (list == null) {
      listening = new Unacknowledged(listener, ticket);
    } else {
      list.replace(listener);
    }
  }

  /** Called by the committer: the next force covers everything appended so far. */
  void beforeForce() {
    beforeForce = ticket;
  }

  /** Called by the committer. */
  void afterForce() {
    if (acknowledged < beforeForce) {
      acknowledged = beforeForce;
      wakeAcknowledged();
    }
    Unacknowledged list = listening;
    if (list != null && deferred) {
      list.tellUpTo(beforeForce);
    }
  }

  private void wakeAcknowledged() {
    for (Iterator<Waiter> all = waiters.iterator(); all.hasNext(); ) {
      Waiter waiter = all.next();
      if (waiter.ticket <= acknowledged) {
        all.remove();
        waiter.removed = true;
        LockSupport.unpark(waiter.thread);
      }
    }
  }

  /** Wakes all waiting threads so that they check the state again. */
  private void wakeAll() {
    waiters.forEach(waiter -> LockSupport.unpark(waiter.thread));
  }

  /** Called by the committer: no further ticket will be acknowledged. */
  void end(QueueFailed why) {
    failure = why;
    wakeAll();
  }

  /** Called by the committer: passes the failure to the listener. */
  void tellFailure(QueueFailed cause) {
    Unacknowledged list = listening;
    if (list != null) {
      list.fail(cause);
    }
  }

  /** Whether the committer has nothing left to do for this appender. */
  boolean isDone() {
    return closed && beforeForce == ticket;
  }

  @Override
  public void close() {
    closed = true;
    wakeAll();
    committer.signal();
  }
}
