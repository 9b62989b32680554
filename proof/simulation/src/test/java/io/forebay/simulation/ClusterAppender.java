/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.machine.Machine;
import io.forebay.queue.Appender;
import io.forebay.queue.Capabilities;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.TicketWaits;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Appends to a topic as an idempotent producer does: a message waits in a buffer until the brokers
 * have it, once, however often it is sent.
 */
final class ClusterAppender implements Appender {

  private static final long DELIVERY_NANOS = 20_000_000_000L;
  private static final long RETRY_NANOS = 100_000_000;

  private final ClusterQueue queue;
  private final Queue<Buffered> buffer = new ConcurrentLinkedQueue<>();
  private final TicketWaits waits = new TicketWaits(this, TicketWaits.UNTIL_WOKEN, this::end);
  private final Thread sender;
  private volatile @Nullable AcknowledgementListener listener;
  private volatile @Nullable QueueFailed failure;
  private volatile long ticket;
  private volatile long acknowledged;
  private volatile boolean closed;

  /** A message in the buffer. */
  private static final class Buffered {
    private final int partition;
    private final byte[] message;
    private final long ticket;
    private final long sinceNanos = Machine.nanos();
    private long position = UNKNOWN_POSITION;

    Buffered(int partition, byte[] message, long ticket) {
      this.partition = partition;
      this.message = message;
      this.ticket = ticket;
    }
  }

  ClusterAppender(ClusterQueue queue) {
    this.queue = queue;
    sender = Machine.thread("producer " + queue.name()).start(this::send);
  }

  @Override
  public long append(int partition, ByteBuffer message) {
    queue.checkPartition(partition);
    if (message.remaining() > Capabilities.MAX_MESSAGE_BYTES) {
      throw new QueueRefused(
          QueueRefused.Reason.TOO_LARGE, "a message of %,d bytes".formatted(message.remaining()));
    }
    if (closed) {
      throw new QueueRefused(QueueRefused.Reason.CLOSED, "the appender is closed");
    }
    queue.mustAccept(partition);
    QueueFailed failed = failure;
    if (failed != null) {
      throw new QueueRefused(QueueRefused.Reason.FAILED, String.valueOf(failed.getMessage()));
    }
    byte[] bytes = new byte[message.remaining()];
    message.duplicate().get(bytes);
    long given = ticket + 1;
    ticket = given;
    buffer.add(new Buffered(partition, bytes, given));
    LockSupport.unpark(sender);
    return given;
  }

  private void send() {
    while (true) {
      Buffered next = buffer.peek();
      if (next == null) {
        if (closed || queue.isClosed()) {
          queue.forget(this);
          return;
        }
        LockSupport.park(this);
      } else if (failure != null || !deliver(next)) {
        return;
      }
    }
  }

  /** Whether later messages may be delivered, too. */
  private boolean deliver(Buffered message) {
    try {
      queue.ask(() -> {
        if (message.position == UNKNOWN_POSITION) {
          message.position = queue.log(message.partition).append(message.message);
        }
        return true;
      });
      buffer.remove();
      acknowledged = message.ticket;
      tell(message);
      waits.wake();
      return true;
    } catch (QueueUnavailable e) {
      if (Machine.nanos() - message.sinceNanos > DELIVERY_NANOS) {
        fail(message.ticket, e);
        return false;
      }
      Machine.park(RETRY_NANOS);
      return true;
    }
  }

  private void fail(long from, QueueUnavailable cause) {
    QueueFailed failed = new QueueFailed("the brokers did not take a message in time", cause);
    failure = failed;
    AcknowledgementListener told = listener;
    if (told != null) {
      told.failed(from, failed);
    }
    waits.wakeAll();
    queue.forget(this);
  }

  private void tell(Buffered message) {
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
    QueueFailed failed = failure;
    if (failed != null) {
      return failed;
    }
    return (closed && wanted > ticket) || queue.isClosed()
        ? new QueueFailed("its appender is closed", null)
        : null;
  }

  boolean isAppending() {
    return !buffer.isEmpty() && failure == null;
  }

  /** Waits until the buffer is empty. */
  void settle() {
    while (!buffer.isEmpty() && failure == null) {
      LockSupport.unpark(sender);
      Machine.park(1_000_000);
    }
  }

  void wake() {
    LockSupport.unpark(sender);
    waits.wakeAll();
  }

  @Override
  public long ticket() {
    return ticket;
  }

  @Override
  public long position() {
    return UNKNOWN_POSITION;
  }

  @Override
  public long acknowledged() {
    return acknowledged;
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
  public boolean hasFailed() {
    return failure != null;
  }

  @Override
  public void close() {
    closed = true;
    wake();
  }
}
