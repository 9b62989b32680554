/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.machine.CrashPoint;
import io.forebay.queue.sender.SenderProof;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages and commits them on its own thread, so that the caller can continue with the next
 * ones. Messages published during a commit share the next one. The buffer is small: a caller that
 * is faster than the brokers waits.
 */
final class Transactions implements AutoCloseable {

  private static final int WAITING_CHUNKS = 4;

  /** The maximum number of messages in one transaction, because readers wait for its commit. */
  private static final int MOST_TOGETHER = 20_000;

  private static final Duration CLOSE = Duration.ofSeconds(2);
  private static final Chunk END = new Chunk(List.of(), 0);

  private final Producer<byte[], byte[]> producer;
  private final String topic;
  private final int partition;
  private final SenderProof proof;
  private final LongConsumer committed;
  private final BlockingQueue<Chunk> chunks = new ArrayBlockingQueue<>(WAITING_CHUNKS);
  private final Thread thread;
  private volatile boolean closing;
  private volatile @Nullable KafkaException failure;

  /**
   * Messages in their order.
   *
   * @param publishedUpTo the ticket up to which to commit; 0 if the batch is not complete
   */
  record Chunk(List<byte[]> messages, long publishedUpTo) {}

  /**
   * @param producer with initialised transactions; this object closes it
   * @param proof only for this object
   * @param committed called on the thread with each ticket up to which everything is committed
   */
  Transactions(
      Producer<byte[], byte[]> producer,
      String topic,
      int partition,
      SenderProof proof,
      LongConsumer committed) {
    this.producer = producer;
    this.topic = topic;
    this.partition = partition;
    this.proof = proof;
    this.committed = committed;
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
  @Nullable KafkaException failure() {
    return failure;
  }

  private void run() {
    try {
      boolean open = false;
      int together = 0;
      Chunk chunk;
      while ((chunk = chunks.take()) != END) {
        if (!open) {
          producer.beginTransaction();
          open = true;
        }
        for (byte[] message : chunk.messages()) {
          producer.send(Topic.record(topic, partition, message, proof));
        }
        together += chunk.messages().size();
        if (chunk.publishedUpTo() > 0 && !joins(chunks.peek(), together)) {
          producer.flush();
          CrashPoint.hit("before-publish");
          commit();
          CrashPoint.hit("after-publish");
          open = false;
          together = 0;
          committed.accept(chunk.publishedUpTo());
        }
      }
    } catch (KafkaException e) {
      failure = e;
    } catch (RuntimeException | Error e) {
      failure = new KafkaException("the thread that commits answers ended", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the closing thread stopped waiting
    }
  }

  /** Whether the next chunk is published too and can share the commit. */
  private static boolean joins(@Nullable Chunk next, int together) {
    return next != null
        && next.publishedUpTo() > 0
        && together + next.messages().size() <= MOST_TOGETHER;
  }

  /** The commit fails if one of the messages did not arrive. */
  private void commit() {
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
