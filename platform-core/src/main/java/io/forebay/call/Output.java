/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Writes answers. Calls made while the same message is {@link Message#current()} are one message,
 * its frame: it has that message's id, goes to the partition of the same number, and names that
 * message's position as its source. The frame is appended when a call is made for another message,
 * or by {@link #flush()}. In a partition, frames must come in the order of their sources.
 *
 * <p>If the queue refuses a frame, it stays pending: the call or {@code flush()} that would have
 * appended it throws {@link QueueRefused} and may be repeated; nothing is lost or doubled. A loop
 * that flushes after each batch meets refusals there and not in the component. For one thread.
 *
 * @param <O> the protocol's interface
 */
public final class Output<O> implements AutoCloseable {

  private static final int START = Frame.HEADERS;

  private final MessageQueue queue;
  private final Appender appender;
  private final AppendClock clock;
  private final CborOutput out;
  private final O calls;
  private final long[] lastSource;

  private @Nullable Message pending;
  private int pendingCalls;
  private int pendingEnd = START;
  private @Nullable Message opened;

  Output(Protocol<O> protocol, MessageQueue queue, Appender appender, AppendClock clock) {
    this.queue = queue;
    this.clock = clock;
    this.out = new CborOutput(queue.name(), queue.capabilities().maxMessageBytes());
    Frame.prepare(out);
    this.calls = protocol.calls(new Encoder(protocol));
    this.lastSource = new long[queue.partitions()];
    Arrays.fill(lastSource, -1);
    this.appender = appender;
  }

  /**
   * Each call of it is part of the answer to the current message. It is always the same object. A
   * call throws {@link IllegalStateException} if no message is current or the current one comes
   * before one that has been answered, {@link IllegalArgumentException} for an argument that no
   * message can carry, and {@link QueueRefused} if the frame would be too large with it or the
   * frame before was refused; it is not part of the answer then.
   */
  public O calls() {
    return calls;
  }

  /**
   * Appends the frame of this message, which is empty if no calls were made for it. A frame that is
   * pending for another message is appended first.
   *
   * @throws QueueRefused if the queue does not take a frame; this may be repeated
   * @throws IllegalStateException if that message, or one behind it, has been answered
   */
  public void empty(Message message) {
    if (pending != message) {
      beginFrame(message);
      pending = message;
      pendingCalls = 0;
      pendingEnd = out.at;
    }
    flush();
  }

  /**
   * Appends the pending frame, if there is one.
   *
   * @throws QueueRefused if the queue does not take it; it stays pending
   */
  public void flush() {
    Message message = pending;
    if (message == null) {
      return;
    }
    out.at = pendingEnd;
    int start = Frame.finish(out, pendingCalls, message.idHigh(), message.idLow(), clock.micros());
    appender.append(message.partition(), out.view(start));
    lastSource[message.partition()] = message.position();
    pending = null;
  }

  /**
   * Appends the pending frame, and lets readers see all frames since the last call; see {@link
   * Appender#publish}.
   */
  public void publish() {
    flush();
    appender.publish();
  }

  /** Drops the pending frame, if there is one: its message will be handled again. */
  public void discard() {
    pending = null;
  }

  /** Which position of a partition the last frame there answers, -1 before the first. */
  public long lastSource(int partition) {
    return lastSource[partition];
  }

  /** The ticket of the last frame appended, 0 before the first. */
  public long lastTicket() {
    return appender.ticket();
  }

  /** The position of the last frame appended, or {@link Appender#UNKNOWN_POSITION}. */
  public long lastPosition() {
    return appender.position();
  }

  /** All frames up to the one with this ticket are at the queue's strongest level. */
  public long acknowledged() {
    return appender.acknowledged();
  }

  /**
   * Waits until the last frame appended has reached the queue's strongest level.
   *
   * @throws TimeoutException if it has not in that time; it may still
   * @throws QueueFailed if it never will; whether the frame is durable is not known
   */
  public void await(Duration timeout) throws TimeoutException, InterruptedException {
    appender.await(appender.ticket(), timeout);
  }

  /** Closes the appender. A frame that is still pending is dropped; flush before. */
  @Override
  public void close() {
    appender.close();
  }

  /** Appends what is pending and writes the beginning of this message's frame. */
  private void beginFrame(Message message) {
    flush();
    int partition = message.partition();
    if (partition >= lastSource.length) {
      throw new IllegalStateException(
          "%s cannot be answered: queue %s has %d partitions; it needs those of the queue it answers"
              .formatted(message, queue.name(), lastSource.length));
    }
    if (message.position() <= lastSource[partition]) {
      throw new IllegalStateException(
          "%s cannot be answered: position %,d has been answered in queue %s, and answers come in the order of their messages, all calls for one together"
              .formatted(message, lastSource[partition], queue.name()));
    }
    Frame.source(out, message.position());
  }

  private final class Encoder extends CallEncoder {

    Encoder(Protocol<?> protocol) {
      super(protocol, out);
    }

    @Override
    void open() {
      Message message = Message.current();
      if (message == pending) {
        out.at = pendingEnd;
      } else {
        beginFrame(message);
        pendingCalls = 0;
      }
      opened = message;
    }

    @Override
    void close() {
      if (!Frame.takes(pendingCalls + 1)) {
        throw new QueueRefused(
            QueueRefused.Reason.TOO_LARGE,
            Double.NaN,
            Duration.ZERO,
            "%s has %,d answers already, which is the limit; this one was not added"
                .formatted(opened, pendingCalls));
      }
      out.checkSize(Frame.start(pendingCalls + 1));
      pending = opened;
      pendingCalls++;
      pendingEnd = out.at;
    }
  }
}
