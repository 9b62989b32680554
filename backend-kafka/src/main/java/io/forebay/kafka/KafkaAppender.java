/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.Appender;
import io.forebay.queue.Capabilities;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueTrouble;
import io.forebay.queue.TicketWaits;
import io.forebay.queue.sender.SenderProof;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands messages to the producer and reports their acknowledgements, in the order of their tickets.
 */
final class KafkaAppender implements Appender {

  private static final Logger log = LoggerFactory.getLogger(KafkaAppender.class);
  private static final Duration FULL_RETRY = Duration.ofMillis(100);
  private static final Duration UNAVAILABLE_RETRY = Duration.ofSeconds(1);

  private final KafkaMessageQueue queue;

  /** Appended messages that are not yet acknowledged, in the order of their tickets. */
  private final ArrayDeque<Sent> pending = new ArrayDeque<>();

  private final TicketWaits waits = new TicketWaits(this, TicketWaits.UNTIL_WOKEN, this::end);
  private volatile long ticket;
  private volatile long acknowledged;
  private volatile boolean closed;
  private volatile boolean ended;
  private volatile @Nullable QueueFailed failure;
  private volatile @Nullable AcknowledgementListener listener;
  private @Nullable Thread appending;
  private @Nullable SenderProof proof;

  KafkaAppender(KafkaMessageQueue queue) {
    this.queue = queue;
  }

  /** A message that was handed to the producer. */
  private final class Sent implements Callback {
    final int partition;
    final long ticket;
    final @Nullable AcknowledgementListener listener;
    final long atNanos = System.nanoTime();
    long position = UNKNOWN_POSITION;
    boolean done;
    @Nullable Exception refused;

    Sent(int partition, long ticket, @Nullable AcknowledgementListener listener) {
      this.partition = partition;
      this.ticket = ticket;
      this.listener = listener;
    }

    /**
     * Called by the producer's thread, or by the appending thread before send returns; in that case
     * the producer did not accept the message.
     */
    @Override
    public void onCompletion(RecordMetadata metadata, @Nullable Exception e) {
      if (e == null) {
        acknowledge(this, metadata.offset());
      } else if (Thread.currentThread() == appending) {
        refused = e;
      } else {
        fail(this, e);
      }
    }
  }

  @Override
  public long append(int partition, ByteBuffer message) {
    queue.checkPartition(partition);
    if (message.remaining() > Capabilities.MAX_MESSAGE_BYTES) {
      throw refused(
          QueueRefused.Reason.TOO_LARGE,
          Duration.ZERO,
          "a message of %,d bytes is too large (limit=%,d)"
              .formatted(message.remaining(), Capabilities.MAX_MESSAGE_BYTES));
    }
    Producer<byte[], byte[]> producer = accepting();
    byte[] bytes = new byte[message.remaining()];
    message.get(message.position(), bytes);
    Sent sent = new Sent(partition, ticket + 1, listener);
    checkProgress(sent.atNanos);
    synchronized (pending) {
      pending.addLast(sent);
    }
    QueueTrouble refusal = queue.refusal(partition); // last: a drain waits for what is pending
    if (refusal != null) {
      notSent();
      throw refused(refusal.reason(), retryAfter(refusal.reason()), refusal.text());
    }
    send(producer, sent, bytes);
    ticket = sent.ticket;
    return sent.ticket;
  }

  /**
   * @throws QueueRefused if the queue cannot accept a message now
   */
  private Producer<byte[], byte[]> accepting() {
    if (closed || !queue.accepts()) {
      throw refused(QueueRefused.Reason.CLOSED, Duration.ZERO, "it is closed or stops accepting");
    }
    QueueFailed failed = failure;
    if (failed != null) {
      throw refused(QueueRefused.Reason.FAILED, Duration.ZERO, String.valueOf(failed.getMessage()));
    }
    Optional<QueueTrouble> trouble = queue.trouble();
    if (trouble.isPresent()) {
      QueueRefused.Reason reason = trouble.get().reason();
      throw refused(reason, retryAfter(reason), trouble.get().text());
    }
    Producer<byte[], byte[]> producer = queue.connection().producer();
    if (producer == null) {
      throw refused(
          QueueRefused.Reason.UNAVAILABLE, UNAVAILABLE_RETRY, "the cluster has not responded yet");
    }
    return producer;
  }

  private static Duration retryAfter(QueueRefused.Reason reason) {
    return reason == QueueRefused.Reason.UNAVAILABLE ? UNAVAILABLE_RETRY : Duration.ZERO;
  }

  /** Refuses messages while the cluster has acknowledged nothing for some time. */
  private void checkProgress(long now) {
    Sent oldest;
    synchronized (pending) {
      oldest = pending.peekFirst();
    }
    Duration limit = queue.connection().clients().options().refuseAfter();
    if (oldest != null && now - oldest.atNanos > limit.toNanos()) {
      throw refused(
          QueueRefused.Reason.UNAVAILABLE,
          UNAVAILABLE_RETRY,
          "the cluster has not acknowledged a message for more than " + limit);
    }
  }

  private void send(Producer<byte[], byte[]> producer, Sent sent, byte[] bytes) {
    appending = Thread.currentThread();
    try {
      producer.send(
          Topic.record(queue.connection().topic().name(), sent.partition, bytes, proof()), sent);
    } catch (RuntimeException e) {
      sent.refused = e;
    } finally {
      appending = null;
    }
    Exception refused = sent.refused;
    if (refused != null) {
      notSent();
      throw refused instanceof BufferExhaustedException
          ? refused(QueueRefused.Reason.FULL, FULL_RETRY, "its buffer is full")
          : refused(
              queue.accepts() ? QueueRefused.Reason.UNAVAILABLE : QueueRefused.Reason.CLOSED,
              queue.accepts() ? UNAVAILABLE_RETRY : Duration.ZERO,
              String.valueOf(refused.getMessage()));
    }
  }

  private void notSent() {
    synchronized (pending) {
      pending.removeLast();
    }
  }

  private SenderProof proof() {
    if (proof == null) {
      proof = queue.connection().proof();
    }
    return proof;
  }

  private QueueRefused refused(QueueRefused.Reason reason, Duration retryAfter, String why) {
    return new QueueRefused(
        reason,
        reason == QueueRefused.Reason.FULL ? 1 : Double.NaN,
        retryAfter,
        "%s refused a message: %s; nothing was written".formatted(queue, why));
  }

  private void acknowledge(Sent sent, long position) {
    while (true) {
      Sent next;
      synchronized (pending) {
        sent.position = position;
        sent.done = true;
        next = pending.peekFirst();
        if (next == null || !next.done || failure != null) {
          break;
        }
        pending.removeFirst();
      }
      tell(next); // first: a thread that awaits the ticket may rely on its listener having been
      // called
      acknowledged = next.ticket;
    }
    waits.wake();
    forgetIfOver();
  }

  private static void tell(Sent sent) {
    AcknowledgementListener told = sent.listener;
    if (told != null) {
      try {
        told.acknowledged(sent.partition, sent.ticket, sent.position);
      } catch (RuntimeException | Error e) {
        log.error(
            "Acknowledgement listener failed at ticket {}; it still receives later tickets",
            sent.ticket,
            e);
      }
    }
  }

  /** Retries have ended without success: it is unknown whether the topic contains the message. */
  private void fail(@Nullable Sent sent, Exception cause) {
    QueueFailed failed =
        new QueueFailed(
            "%s did not acknowledge a message; it is unknown whether the topic contains it: %s"
                .formatted(queue, cause.getMessage()),
            cause);
    AcknowledgementListener told = listener;
    synchronized (pending) {
      if (failure != null) {
        return;
      }
      failure = failed;
    }
    if (sent != null) {
      log.error("{}", failed.getMessage(), cause);
    }
    if (told != null) {
      try {
        told.failed(acknowledged + 1, failed);
      } catch (RuntimeException | Error e) {
        log.error("Acknowledgement listener failed when a failure was reported to it", e);
      }
    }
    waits.wakeAll();
    forgetIfOver();
  }

  /** Whether the brokers may still add a message to the topic. */
  boolean isAppending() {
    synchronized (pending) {
      return !pending.isEmpty() && failure == null;
    }
  }

  @Override
  public boolean hasFailed() {
    return failure != null && queue.accepts();
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

  /** Why the ticket will never be acknowledged; null if it may be. */
  private @Nullable QueueFailed end(long wanted) {
    QueueFailed failed = failure;
    return failed == null && (ended || (closed && wanted > ticket))
        ? new QueueFailed("its appender is closed", null)
        : failed;
  }

  @Override
  public void onAcknowledged(AcknowledgementListener next) {
    listener = next;
  }

  /** The producer is closed: messages that are not acknowledged yet never will be. */
  void end() {
    boolean open;
    synchronized (pending) {
      open = !pending.isEmpty();
    }
    if (open) {
      fail(null, new IllegalStateException("the queue was closed before it was acknowledged"));
    }
    ended = true;
    waits.wakeAll();
  }

  /** Appended messages are still delivered and acknowledged. */
  @Override
  public void close() {
    closed = true;
    waits.wakeAll();
    forgetIfOver();
  }

  /** Until then, the end of the queue has to fail those who wait for an acknowledgement. */
  private void forgetIfOver() {
    if (!closed) {
      return;
    }
    boolean over;
    synchronized (pending) {
      over = pending.isEmpty() || failure != null;
    }
    if (over) {
      queue.forget(this);
    }
  }
}
