/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.machine.CrashPoint;
import io.forebay.queue.GroupOffset;
import io.forebay.queue.QueueUnavailable;
import io.forebay.queue.sender.SenderProof;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.CommitFailedException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends messages, and commits them with the offset of the consumer that answers, on its own thread,
 * so that the caller can continue with the next ones. Messages published during a commit share the
 * next one. The buffer is small: a caller that is faster than the brokers waits.
 *
 * <p>A transaction begins when its messages are complete, so that none stays open over a slow call.
 * If it fails, a new producer sends the same messages again. The committed offset tells whether the
 * failed one was committed.
 */
final class Transactions implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Transactions.class);
  private static final int WAITING_CHUNKS = 4;

  /** The maximum number of messages in one transaction, because readers wait for its commit. */
  private static final int MOST_TOGETHER = 20_000;

  /** More messages are sent before they are complete, and cannot be sent again. */
  private static final int MOST_KEPT_BYTES = 16 << 20;

  private static final Duration CLOSE = Duration.ofSeconds(2);

  /** In this time, a member of the group that was removed learns of it. */
  private static final Duration RETRY = Duration.ofSeconds(1);

  private static final int NOT_COMPLETE = -1;
  private static final Chunk END = new Chunk(List.of(), 0, null);

  private final Supplier<Producer<byte[], byte[]>> producers;
  private final String topic;
  private final int partition;
  private final @Nullable GroupMember member;
  private final SenderProof proof;
  private final LongConsumer committed;
  private final BlockingQueue<Chunk> chunks = new ArrayBlockingQueue<>(WAITING_CHUNKS);
  private final Thread thread;
  private volatile Producer<byte[], byte[]> producer;
  private volatile boolean closing;
  private volatile @Nullable RuntimeException failure;

  /** The messages of the next transaction. */
  private final List<Chunk> kept = new ArrayList<>();

  private int keptMessages;
  private long keptBytes;

  /** Whether messages were sent that are no longer kept. */
  private boolean open;

  /**
   * Messages in their order.
   *
   * @param publishedUpTo the ticket up to which to commit; negative if the batch is not complete
   * @param offset to be committed with them; null if none
   */
  record Chunk(List<byte[]> messages, long publishedUpTo, @Nullable GroupOffset offset) {

    static Chunk incomplete(List<byte[]> messages) {
      return new Chunk(messages, NOT_COMPLETE, null);
    }

    boolean isComplete() {
      return publishedUpTo != NOT_COMPLETE;
    }
  }

  /**
   * @param producers creates one with initialised transactions, which fences the previous one
   * @param member whose offsets are committed; null if none are
   * @param proof only for this object
   * @param committed called on the thread with each ticket up to which everything is committed
   */
  Transactions(
      Supplier<Producer<byte[], byte[]>> producers,
      String topic,
      int partition,
      @Nullable GroupMember member,
      SenderProof proof,
      LongConsumer committed) {
    this.producers = producers;
    this.topic = topic;
    this.partition = partition;
    this.member = member;
    this.proof = proof;
    this.committed = committed;
    producer = producers.get();
    thread =
        Thread.ofPlatform()
            .daemon()
            .name("forebay-answers-" + topic + "-" + partition)
            .start(this::run);
  }

  /** Waits for room in the buffer; false if there was none within the time. */
  boolean offer(Chunk chunk, Duration atMost) throws InterruptedException {
    return chunks.offer(chunk, atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Why nothing more will be committed; null if there was no failure. */
  @Nullable RuntimeException failure() {
    return failure;
  }

  private void run() {
    try {
      Chunk chunk;
      while ((chunk = chunks.take()) != END) {
        keep(chunk);
        if (chunk.isComplete() && !joins(chunks.peek())) {
          commit(chunk.offset());
          forget();
          open = false;
          committed.accept(chunk.publishedUpTo());
        } else if (keptBytes > MOST_KEPT_BYTES) {
          send();
          forget();
        }
      }
    } catch (RuntimeException | Error e) {
      failure =
          e instanceof RuntimeException known
              ? known
              : new KafkaException("the thread that commits answers ended", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the closing thread stopped waiting
    }
  }

  private void keep(Chunk chunk) {
    kept.add(chunk);
    keptMessages += chunk.messages().size();
    chunk.messages().forEach(message -> keptBytes += message.length);
  }

  private void forget() {
    kept.clear();
    keptMessages = 0;
    keptBytes = 0;
  }

  /** Whether the next chunk is published too and can share the commit. */
  private boolean joins(@Nullable Chunk next) {
    return next != null
        && next != END
        && next.isComplete()
        && keptMessages + next.messages().size() <= MOST_TOGETHER;
  }

  private void send() {
    if (!open) {
      producer.beginTransaction();
      open = true;
    }
    for (Chunk chunk : kept) {
      for (byte[] message : chunk.messages()) {
        producer.send(Topic.record(topic, partition, message, proof));
      }
    }
  }

  private void commit(@Nullable GroupOffset offset) throws InterruptedException {
    boolean isKept = !open;
    while (true) {
      try {
        send();
        commitWith(offset);
        return;
      } catch (KafkaException e) {
        if (closing || offset == null || !isKept || refusal(e) != null) {
          throw e;
        }
        log.warn(
            "Answers in partition {} of {} are sent again: their transaction failed: {}",
            partition,
            topic,
            e.getMessage());
        if (startAgain(offset, e)) {
          return;
        }
      }
    }
  }

  private void commitWith(@Nullable GroupOffset offset) {
    if (offset != null && member != null) {
      ConsumerGroupMetadata generation = member.generation();
      if (generation == null) {
        throw new CommitFailedException(
            member.partition() + " is no longer assigned to this instance");
      }
      producer.sendOffsetsToTransaction(
          Map.of(member.partition(), new OffsetAndMetadata(offset.position(), offset.metadata())),
          generation);
    }
    producer.flush();
    CrashPoint.hit("before-publish");
    endCommit();
    CrashPoint.hit("after-publish");
  }

  /** The commit fails if one of the messages did not arrive. */
  private void endCommit() {
    while (true) {
      try {
        producer.commitTransaction();
        return;
      } catch (TimeoutException e) {
        if (closing) {
          throw e;
        }
        // The commit is under way; asking again waits for the same one.
      }
    }
  }

  /**
   * Ends the failed transaction with a new producer.
   *
   * @return whether the failed transaction was committed
   */
  private boolean startAgain(GroupOffset offset, KafkaException failed)
      throws InterruptedException {
    open = false;
    GroupMember owner = Objects.requireNonNull(member);
    while (true) {
      producer.close(Duration.ZERO);
      Thread.sleep(RETRY);
      if (closing || owner.generation() == null) {
        throw failed;
      }
      try {
        producer = producers.get();
        if (closing) { // which may have closed the one before
          producer.close(Duration.ZERO);
          throw failed;
        }
        return owner.committed().filter(offset::equals).isPresent();
      } catch (QueueUnavailable e) {
        if (refusal(e) != null) {
          throw e;
        }
        log.debug("The brokers do not respond yet", e);
      }
    }
  }

  /** Why the brokers will refuse the same messages again; null if they may accept them. */
  static @Nullable Throwable refusal(Throwable failure) {
    Throwable e = failure;
    while (e != null
        && !(e instanceof RecordTooLargeException
            || e instanceof AuthorizationException
            || e instanceof InvalidTimestampException)) {
      e = e.getCause();
    }
    return e;
  }

  /** Still commits published messages if that takes little time; discards the rest. */
  @Override
  public void close() {
    closing = true;
    boolean interrupted = false;
    try {
      if (chunks.offer(END, CLOSE.toNanos(), TimeUnit.NANOSECONDS)) {
        thread.join(CLOSE);
      }
    } catch (InterruptException | InterruptedException e) {
      interrupted = true;
    }
    thread.interrupt();
    producer.close(Duration.ZERO);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
