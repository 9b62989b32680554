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
 * Commits batches of messages with the offset of the consumer that answers, on its own thread, so
 * that the caller can continue with the next ones. Batches that wait for a commit share the next
 * one. Few can wait: a caller that is faster than the brokers waits.
 *
 * <p>A transaction has complete batches only, so that none stays open over a slow call. If it
 * fails, a new producer sends the same messages again. The committed offset tells whether the
 * failed one was committed.
 */
final class Transactions implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(Transactions.class);
  private static final int MOST_WAITING = 4;
  private static final Duration CLOSE = Duration.ofSeconds(2);

  /** In this time, a member of the group that was removed learns of it. */
  private static final Duration RETRY = Duration.ofSeconds(1);

  private static final Batch END = new Batch(List.of(), 0, null);

  private final Supplier<Producer<byte[], byte[]>> producers;
  private final String topic;
  private final int partition;
  private final @Nullable GroupMember member;
  private final SenderProof proof;
  private final LongConsumer committed;
  private final BlockingQueue<Batch> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
  private final Thread thread;
  private volatile Producer<byte[], byte[]> producer;
  private volatile boolean closing;
  private volatile @Nullable RuntimeException failure;

  /**
   * Messages in their order.
   *
   * @param lastTicket of the messages up to these
   * @param offset to be committed with them; null if none
   */
  record Batch(List<byte[]> messages, long lastTicket, @Nullable GroupOffset offset) {}

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

  /**
   * Waits until few batches wait, or the thread has failed and commits none of them.
   *
   * @return false if that took longer than the time
   */
  boolean offer(Batch batch, Duration atMost) throws InterruptedException {
    return waiting.offer(batch, atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Why nothing more will be committed; null if there was no failure. */
  @Nullable RuntimeException failure() {
    return failure;
  }

  private void run() {
    try {
      boolean ends = false;
      while (!ends) {
        List<Batch> batches = new ArrayList<>(List.of(waiting.take()));
        waiting.drainTo(batches);
        ends = batches.remove(END);
        if (!batches.isEmpty()) {
          commit(batches);
          committed.accept(batches.getLast().lastTicket());
        }
      }
    } catch (RuntimeException | Error e) {
      failure =
          e instanceof RuntimeException known
              ? known
              : new KafkaException("the thread that commits answers ended", e);
      waiting.clear();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the closing thread stopped waiting
    }
  }

  private void commit(List<Batch> batches) throws InterruptedException {
    GroupOffset offset = batches.getLast().offset();
    while (true) {
      try {
        producer.beginTransaction();
        for (Batch batch : batches) {
          for (byte[] message : batch.messages()) {
            producer.send(Topic.record(topic, partition, message, proof));
          }
        }
        commitWith(offset);
        return;
      } catch (KafkaException e) {
        if (closing || offset == null || refusal(e) != null) {
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
      if (waiting.offer(END, CLOSE.toNanos(), TimeUnit.NANOSECONDS)) {
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
