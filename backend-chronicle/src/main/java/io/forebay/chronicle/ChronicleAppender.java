/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.queue.Appender;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.TicketWaiters;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Appends for one thread; at level DISK the committer of the queue acknowledges. */
final class ChronicleAppender implements Appender {

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

  private final TicketWaiters waits;

  /** The last ticket before the force in progress; written by the committer. */
  private long beforeForce;

  ChronicleAppender(String queue, PartitionLog[] logs, Committer committer, boolean deferred) {
    this.queue = queue;
    this.logs = logs;
    this.committer = committer;
    this.deferred = deferred;
    waits =
        new TicketWaiters(
            this, deferred ? TicketWaiters.UNTIL_WOKEN : TicketWaiters.POLL, this::end);
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
  public boolean isAcknowledged(long asked) {
    return asked <= (deferred ? acknowledged : ticket);
  }

  @Override
  public void await(long wanted, Duration timeout) throws TimeoutException, InterruptedException {
    waits.await(wanted, timeout);
  }

  /** Why the ticket will never be acknowledged; null if it may be. */
  private @Nullable QueueFailed end(long wanted) {
    QueueFailed failed = failure;
    return failed == null && closed && wanted > ticket
        ? new QueueFailed("its appender is closed", null)
        : failed;
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
      waits.wake(waiting -> waiting <= beforeForce);
    }
    Unacknowledged list = listening;
    if (list != null && deferred) {
      list.tellUpTo(beforeForce);
    }
  }

  /** Called by the committer: no further ticket will be acknowledged. */
  void end(QueueFailed why) {
    failure = why;
    waits.wakeAll();
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
    return closed && (acknowledged == ticket || failure != null);
  }

  @Override
  public void close() {
    closed = true;
    waits.wakeAll();
    committer.signal();
  }
}
