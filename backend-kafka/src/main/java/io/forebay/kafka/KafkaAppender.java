/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.queue.Appender;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueOutage;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.TicketWaiters;
import io.forebay.queue.sender.SenderProof;
import io.forebay.text.Formats;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.apache.kafka.clients.producer.BufferExhaustedException;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands messages to the producer of the queue. Each message is acknowledged or fails by itself, in
 * the order of its partition.
 */
final class KafkaAppender implements Appender {

  private static final Logger log = LoggerFactory.getLogger(KafkaAppender.class);

  /** How often a waiting thread looks whether the queue was closed. */
  private static final Duration LOOK = Duration.ofMillis(100);

  private static final Duration LOG_AGAIN = Duration.ofMinutes(1);

  /** How many failed messages it remembers. */
  private static final int MOST_FAILED = 1_000;

  private final KafkaMessageQueue queue;

  /** The tickets of messages that are neither acknowledged nor failed. */
  private final Set<Long> pending = ConcurrentHashMap.newKeySet();

  /** The last failed messages by ticket. */
  private final ConcurrentSkipListMap<Long, QueueFailed> failed = new ConcurrentSkipListMap<>();

  private final TicketWaiters waits = new TicketWaiters(this, LOOK, this::end);
  private volatile long ticket;

  /** It does not remember which messages up to this ticket have failed. */
  private volatile long forgotten;

  /** Only for the producer's thread. */
  private long loggedNanos = System.nanoTime() - LOG_AGAIN.toNanos();

  /** Up to here {@link #await(Duration)} has waited. */
  private long awaited;

  private volatile boolean closed;
  private volatile @Nullable AcknowledgementListener listener;
  private @Nullable Thread appending;
  private @Nullable SenderProof proof;

  KafkaAppender(KafkaMessageQueue queue) {
    this.queue = queue;
  }

  /** A message that was handed to the producer. */
  final class Sent implements Callback {
    private final int partition;
    private final int bytes;
    private final long ticket;
    private final @Nullable AcknowledgementListener listener;
    private final long atNanos = System.nanoTime();
    private @Nullable Exception refused;

    Sent(int partition, int bytes, long ticket, @Nullable AcknowledgementListener listener) {
      this.partition = partition;
      this.bytes = bytes;
      this.ticket = ticket;
      this.listener = listener;
    }

    int bytes() {
      return bytes;
    }

    /**
     * Called by the producer's thread, or by the appending thread before send returns; in that case
     * the producer did not accept the message.
     */
    @Override
    public void onCompletion(RecordMetadata metadata, @Nullable Exception e) {
      if (e == null) {
        tell(it -> it.acknowledged(partition, ticket, metadata.offset()));
        settled();
      } else if (Thread.currentThread() == appending) {
        refused = e;
      } else {
        fail(e);
      }
    }

    /** Retries have ended without success: it is unknown whether the topic contains the message. */
    private void fail(Exception cause) {
      QueueFailed why =
          new QueueFailed(
              "%s did not acknowledge a message; it is unknown whether the topic contains it: %s"
                  .formatted(queue, cause.getMessage()),
              cause);
      if (System.nanoTime() - loggedNanos >= LOG_AGAIN.toNanos()) {
        loggedNanos = System.nanoTime();
        log.error("{}; other failures within a minute are not logged", why.getMessage(), cause);
      }
      failed.put(ticket, why);
      if (failed.size() > MOST_FAILED) {
        forgotten = failed.firstKey(); // before it is removed
        failed.pollFirstEntry();
      }
      tell(it -> it.failed(ticket, ticket, why));
      settled();
    }

    /** A thread that awaits the ticket may rely on its listener having been called before. */
    private void tell(Consumer<AcknowledgementListener> call) {
      AcknowledgementListener told = listener;
      if (told != null) {
        try {
          call.accept(told);
        } catch (RuntimeException | Error e) {
          log.error(
              "Acknowledgement listener failed at ticket {}; it still receives later tickets",
              ticket,
              e);
        }
      }
    }

    private void settled() {
      queue.unacknowledged(partition).settled(this);
      pending.remove(ticket);
      waits.wake(waiting -> waiting == ticket);
    }
  }

  @Override
  public long append(int partition, ByteBuffer message) {
    queue.checkPartition(partition);
    Producer<byte[], byte[]> producer = accepting();
    byte[] bytes = queue.content(message);
    Sent sent = new Sent(partition, bytes.length, ticket + 1, listener);
    queue.unacknowledged(partition).add(sent);
    pending.add(sent.ticket);
    try {
      mustAccept(sent); // after it is pending, which a drain waits for
      send(producer, sent, bytes);
      ticket = sent.ticket;
      return sent.ticket;
    } catch (RuntimeException | Error e) {
      pending.remove(sent.ticket);
      queue.unacknowledged(partition).refused(sent);
      throw e;
    }
  }

  /**
   * @throws QueueRefused if the queue cannot accept a message now
   */
  private Producer<byte[], byte[]> accepting() {
    if (closed || !queue.accepts()) {
      throw queue.refused(QueueRefused.Reason.CLOSED, "it is closed or stops accepting");
    }
    Optional<QueueOutage> outage = queue.outage();
    if (outage.isPresent()) {
      throw queue.refused(outage.get().reason(), outage.get().text());
    }
    Producer<byte[], byte[]> producer = queue.connection().producer();
    if (producer == null) {
      throw queue.refused(QueueRefused.Reason.UNAVAILABLE, "the cluster has not responded yet");
    }
    return producer;
  }

  private void mustAccept(Sent sent) {
    QueueOutage refusal = queue.refusal(sent.partition);
    if (refusal != null) {
      throw queue.refused(refusal.reason(), refusal.text());
    }
    Unacknowledged unacknowledged = queue.unacknowledged(sent.partition);
    Sent oldest = unacknowledged.oldest();
    if (oldest == null || oldest == sent) {
      return;
    }
    if (System.nanoTime() - oldest.atNanos > KafkaBackend.REFUSE_AFTER.toNanos()) {
      throw queue.refused(
          QueueRefused.Reason.UNAVAILABLE,
          "the brokers have not acknowledged a message of partition %d for more than %s"
              .formatted(sent.partition, Formats.duration(KafkaBackend.REFUSE_AFTER)));
    }
    if (unacknowledged.exceedsItsShare(KafkaBackend.BUFFER_BYTES)) {
      throw queue.refused(
          QueueRefused.Reason.FULL,
          "partition %d takes its share of the buffer".formatted(sent.partition));
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
    if (refused instanceof BufferExhaustedException) {
      throw queue.refused(QueueRefused.Reason.FULL, "its buffer is full");
    }
    if (refused != null) {
      throw queue.refused(
          queue.accepts() ? QueueRefused.Reason.UNAVAILABLE : QueueRefused.Reason.CLOSED,
          String.valueOf(refused.getMessage()));
    }
  }

  private SenderProof proof() {
    if (proof == null) {
      proof = queue.connection().proof();
    }
    return proof;
  }

  @Override
  public long ticket() {
    return ticket;
  }

  /** A message has failed before it is no longer pending. */
  @Override
  public boolean isAcknowledged(long asked) {
    return asked <= ticket
        && !pending.contains(asked)
        && !failed.containsKey(asked)
        && asked > forgotten;
  }

  @Override
  public void await(long wanted, Duration timeout) throws TimeoutException, InterruptedException {
    waits.await(wanted, timeout);
  }

  @Override
  public void await(Duration timeout) throws TimeoutException, InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    for (long last = ticket; awaited < last; awaited++) {
      try {
        waits.await(awaited + 1, Duration.ofNanos(deadline - System.nanoTime()));
      } catch (QueueFailed e) {
        awaited = Math.max(awaited + 1, forgotten); // the next call continues behind it
        throw e;
      }
    }
  }

  /** Why the ticket will never be acknowledged; null if it may be. */
  private @Nullable QueueFailed end(long wanted) {
    QueueFailed failure = failed.get(wanted);
    if (failure != null || pending.contains(wanted)) {
      return failure;
    }
    if (wanted <= forgotten) {
      return new QueueFailed("too many later messages have failed to know about it", null);
    }
    return closed || queue.isClosed() ? new QueueFailed("its appender is closed", null) : null;
  }

  @Override
  public void onAcknowledged(AcknowledgementListener next) {
    listener = next;
  }

  /** Appended messages are still delivered and acknowledged. */
  @Override
  public void close() {
    closed = true;
    waits.wakeAll();
  }
}
