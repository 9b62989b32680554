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
import io.forebay.queue.TicketWaiters;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Appends to a topic as an idempotent producer does: a message waits in a buffer of its partition
 * until the brokers have it, once, however often it is sent. No order among the partitions.
 */
final class ClusterAppender implements Appender {

  private static final long DELIVERY_NANOS = 20_000_000_000L;
  private static final long RETRY_NANOS = 100_000_000;

  private final ClusterQueue queue;
  private final List<Queue<Buffered>> buffers;
  private final Map<Long, QueueFailed> failed = new ConcurrentHashMap<>();
  private final TicketWaiters waits = new TicketWaiters(this, TicketWaiters.UNTIL_WOKEN, this::end);
  private final Thread sender;
  private volatile @Nullable AcknowledgementListener listener;
  private volatile long ticket;
  private volatile boolean closed;

  /** Up to here {@link #await(Duration)} has waited. */
  private long awaited;

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
    buffers =
        Stream.<Queue<Buffered>>generate(ConcurrentLinkedQueue::new)
            .limit(queue.partitions())
            .toList();
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
    byte[] bytes = new byte[message.remaining()];
    message.duplicate().get(bytes);
    long given = ticket + 1;
    buffers.get(partition).add(new Buffered(partition, bytes, given));
    ticket = given;
    LockSupport.unpark(sender);
    return given;
  }

  private void send() {
    while (true) {
      List<Queue<Buffered>> waiting = buffers.stream().filter(it -> !it.isEmpty()).toList();
      if (waiting.isEmpty()) {
        if (closed || queue.isClosed()) {
          queue.forget(this);
          return;
        }
        LockSupport.park(this);
      } else {
        Queue<Buffered> chosen = waiting.get(Machine.random().nextInt(waiting.size()));
        deliver(Objects.requireNonNull(chosen.peek()));
      }
    }
  }

  private void deliver(Buffered message) {
    try {
      queue.ask(() -> {
        if (message.position == UNKNOWN_POSITION) {
          message.position = queue.log(message.partition).append(message.message);
        }
        return true;
      });
      tell(message);
      settled(message);
    } catch (QueueUnavailable e) {
      if (Machine.nanos() - message.sinceNanos > DELIVERY_NANOS) {
        fail(message, e);
      } else {
        Machine.park(RETRY_NANOS);
      }
    }
  }

  private void fail(Buffered message, QueueUnavailable cause) {
    QueueFailed why = new QueueFailed("the brokers did not take a message in time", cause);
    failed.put(message.ticket, why);
    AcknowledgementListener told = listener;
    if (told != null) {
      told.failed(message.ticket, message.ticket, why);
    }
    settled(message);
  }

  private void settled(Buffered message) {
    buffers.get(message.partition).remove();
    waits.wake(waiting -> waiting == message.ticket);
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
    QueueFailed failure = failed.get(wanted);
    if (failure != null) {
      return failure;
    }
    return (closed && wanted > ticket) || queue.isClosed()
        ? new QueueFailed("its appender is closed", null)
        : null;
  }

  boolean isAppending(int partition) {
    return !buffers.get(partition).isEmpty();
  }

  /** Waits until the buffers are empty. */
  void settle() {
    while (buffers.stream().anyMatch(it -> !it.isEmpty())) {
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
  public boolean isAcknowledged(long asked) {
    return asked <= ticket
        && !failed.containsKey(asked)
        && buffers.stream().flatMap(Queue::stream).noneMatch(it -> it.ticket == asked);
  }

  @Override
  public void await(long wanted, Duration timeout) throws TimeoutException, InterruptedException {
    waits.await(wanted, timeout);
  }

  @Override
  public void await(Duration timeout) throws TimeoutException, InterruptedException {
    long until = Machine.nanos() + timeout.toNanos();
    while (awaited < ticket) {
      try {
        waits.await(awaited + 1, Duration.ofNanos(until - Machine.nanos()));
        awaited++;
      } catch (QueueFailed e) {
        awaited++;
        throw e;
      }
    }
  }

  @Override
  public void onAcknowledged(AcknowledgementListener newListener) {
    listener = newListener;
  }

  @Override
  public void close() {
    closed = true;
    wake();
  }
}
