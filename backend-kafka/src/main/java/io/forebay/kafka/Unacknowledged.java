/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka;

import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * What this process sent to a partition and the brokers have not acknowledged, almost in the order
 * in which it was sent. Thread-safe.
 */
final class Unacknowledged {

  /** About what a record takes in the buffer besides its message. */
  private static final int RECORD_BYTES = 128;

  private final Deque<KafkaAppender.Sent> messages = new ConcurrentLinkedDeque<>();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicLong bytesOfQueue;

  /**
   * @param bytesOfQueue shared by all partitions of a queue
   */
  Unacknowledged(AtomicLong bytesOfQueue) {
    this.bytesOfQueue = bytesOfQueue;
  }

  void add(KafkaAppender.Sent message) {
    messages.addLast(message);
    count(taken(message.bytes()));
  }

  /** What a message takes in the buffer: its part of a batch with as many as fit into it. */
  private static int taken(int bytes) {
    int record = bytes + RECORD_BYTES;
    return Math.max(record, Clients.BATCH_BYTES / Math.max(1, Clients.BATCH_BYTES / record));
  }

  void settled(KafkaAppender.Sent message) {
    if (messages.removeFirstOccurrence(message)) {
      count(-taken(message.bytes()));
    }
  }

  /** Takes back a message that was just added. */
  void refused(KafkaAppender.Sent message) {
    if (messages.removeLastOccurrence(message)) {
      count(-taken(message.bytes()));
    }
  }

  private void count(int change) {
    bytes.addAndGet(change);
    bytesOfQueue.addAndGet(change);
  }

  /**
   * Whether it takes more than what is left of a buffer to all partitions, so that those without a
   * leader cannot fill it.
   */
  boolean exceedsItsShare(long bufferBytes) {
    return bytes.get() > bufferBytes - bytesOfQueue.get();
  }

  KafkaAppender.@Nullable Sent oldest() {
    return messages.peekFirst();
  }

  boolean isEmpty() {
    return messages.isEmpty();
  }
}
