/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.memory;

import io.forebay.queue.Appender;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.TicketWaiters;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends to a memory queue. Memory is this queue's strongest level, so every ticket is
 * acknowledged at once and {@link #append} calls the listener.
 */
final class MemoryAppender implements Appender {

  private static final Logger log = LoggerFactory.getLogger(MemoryAppender.class);

  private final MemoryQueue queue;
  private final TicketWaiters waits = new TicketWaiters(this, TicketWaiters.POLL, _ -> end());
  private volatile long ticket;
  private long position = UNKNOWN_POSITION;
  private AcknowledgementListener listener = (_, _, _) -> {};
  private volatile boolean closed;

  MemoryAppender(MemoryQueue queue) {
    this.queue = queue;
  }

  @Override
  public long append(int partition, ByteBuffer message) {
    MemoryPartition target = queue.partition(partition);
    if (closed) {
      throw queue.refusedAsClosed();
    }
    position = target.append(message);
    long given = ticket + 1;
    ticket = given;
    try {
      listener.acknowledged(partition, given, position);
    } catch (RuntimeException e) {
      log.error("Acknowledgement listener of {} failed; the message is kept", queue, e);
    }
    return given;
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
    return asked <= ticket;
  }

  @Override
  public void await(long wanted, Duration timeout) throws TimeoutException, InterruptedException {
    waits.await(wanted, timeout);
  }

  private @Nullable QueueFailed end() {
    return closed || queue.isClosed() ? new QueueFailed("its appender is closed", null) : null;
  }

  @Override
  public void onAcknowledged(AcknowledgementListener newListener) {
    listener = newListener;
  }

  @Override
  public void close() {
    closed = true;
  }
}
