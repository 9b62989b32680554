/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import io.forebay.service.CrashPoint;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Sends messages and commits them on a thread of its own, so that whoever hands them over goes on
 * with the next ones meanwhile. What is published while a commit is under way shares the next one.
 * Little is held: who hands over faster than the brokers take it waits.
 */
final class Transactions implements AutoCloseable {

  private static final int WAITING_CHUNKS = 4;

  /** More than this is not put into one transaction, which readers wait for. */
  private static final int MOST_TOGETHER = 20_000;

  private static final Duration CLOSE = Duration.ofSeconds(2);
  private static final Chunk END = new Chunk(List.of(), 0);

  private final Producer<byte[], byte[]> producer;
  private final String topic;
  private final int partition;
  private final LongConsumer committed;
  private final BlockingQueue<Chunk> chunks = new ArrayBlockingQueue<>(WAITING_CHUNKS);
  private final Thread thread;
  private volatile boolean closing;
  private volatile @Nullable KafkaException failure;

  /**
   * Messages in their order.
   *
   * @param publishedUpTo the ticket up to which they are to be committed; 0 if more belong to them
   */
  record Chunk(List<byte[]> messages, long publishedUpTo) {}

  /**
   * @param producer whose transactions are initialised; it is closed in the end
   * @param committed is told of each ticket up to which all is committed, by the thread
   */
  Transactions(
      Producer<byte[], byte[]> producer, String topic, int partition, LongConsumer committed) {
    this.producer = producer;
    this.topic = topic;
    this.partition = partition;
    this.committed = committed;
    thread =
        Thread.ofPlatform()
            .daemon()
            .name("forebay-answers-" + topic + "-" + partition)
            .start(this::run);
  }

  /** Waits while there is no room; false if there was none in that time. */
  boolean offer(Chunk chunk, Duration atMost) throws InterruptedException {
    return chunks.offer(chunk, atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Why nothing more will be committed, or null. */
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
          producer.send(new ProducerRecord<>(topic, partition, null, message));
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
      Thread.currentThread().interrupt(); // it was not waited for any longer
    }
  }

  /** Whether the next one is published too and can share the commit. */
  private static boolean joins(@Nullable Chunk next, int together) {
    return next != null
        && next.publishedUpTo() > 0
        && together + next.messages().size() <= MOST_TOGETHER;
  }

  /** The commit tells whether every one of the messages arrived. */
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

  /** What was published is still committed, if that does not take long; the rest is gone. */
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
