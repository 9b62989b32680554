/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.queue.Appender;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.TicketWaiters;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Appends to a {@link DiskQueue}. */
final class DiskAppender implements Appender {

  private final DiskQueue queue;
  private final ReentrantLock lock = new ReentrantLock();
  private final ArrayDeque<Pending> pending = new ArrayDeque<>();
  private final TicketWaiters waits = new TicketWaiters(this, TicketWaiters.UNTIL_WOKEN, this::end);
  private volatile @Nullable AcknowledgementListener listener;
  private volatile long ticket;
  private volatile long acknowledged;
  private volatile long position = UNKNOWN_POSITION;
  private volatile boolean failed;
  private volatile boolean closed;

  private record Pending(int partition, long ticket, long position) {}

  DiskAppender(DiskQueue queue) {
    this.queue = queue;
  }

  @Override
  public long append(int partition, ByteBuffer message) {
    queue.checkPartition(partition);
    if (closed) {
      throw new QueueRefused(QueueRefused.Reason.CLOSED, "the appender is closed");
    }
    lock.lock();
    try {
      position = queue.append(partition, message);
      ticket++;
      pending.add(new Pending(partition, ticket, position));
    } finally {
      lock.unlock();
    }
    if (queue.isAcknowledged(partition, position)) {
      forced();
    }
    return ticket;
  }

  /** Acknowledges what was forced. */
  void forced() {
    lock.lock();
    try {
      for (Pending next;
          (next = pending.peek()) != null
              && queue.isAcknowledged(next.partition, next.position); ) {
        pending.remove();
        acknowledged = next.ticket;
        tell(next);
      }
      QueueFailed failure = queue.failure();
      if (failure != null && !pending.isEmpty() && !failed) {
        failed = true;
        AcknowledgementListener told = listener;
        if (told != null) {
          told.failed(acknowledged + 1, Long.MAX_VALUE, failure);
        }
      }
      if (closed && pending.isEmpty()) {
        queue.forget(this);
      }
    } finally {
      lock.unlock();
    }
    waits.wake(this::isAcknowledged);
    if (queue.failure() != null || queue.isClosed() || closed) {
      waits.wakeAll();
    }
  }

  private void tell(Pending message) {
    AcknowledgementListener told = listener;
    if (told == null) {
      return;
    }
    try {
      told.acknowledged(message.partition, message.ticket, message.position);
    } catch (RuntimeException e) {
      // an exception of the listener does not affect the append
    }
  }

  private @Nullable QueueFailed end(long wanted) {
    QueueFailed failure = queue.failure();
    if (failure != null) {
      return failure;
    }
    boolean never = wanted > ticket || queue.isClosed();
    return (closed || queue.isClosed()) && never
        ? new QueueFailed("its appender is closed", null)
        : null;
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
    return asked <= acknowledged;
  }

  @Override
  public void await(long wanted, Duration timeout) throws TimeoutException, InterruptedException {
    waits.await(wanted, timeout);
  }

  @Override
  public void onAcknowledged(AcknowledgementListener newListener) {
    listener = newListener;
  }

  @Override
  public void close() {
    closed = true;
    forced();
  }
}
