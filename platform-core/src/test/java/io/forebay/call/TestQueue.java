/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.queue.Appender;
import io.forebay.queue.Capabilities;
import io.forebay.queue.GroupOffset;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.time.AppendTimes;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** An appender that records messages, and refuses them on request. */
final class TestQueue implements Appender {

  /** One message as it was appended. */
  record Appended(int partition, byte[] bytes) {}

  final List<Appended> appended = new ArrayList<>();

  /** Offsets that were published. */
  final List<GroupOffset> offsets = new ArrayList<>();

  /** How often something was published without an offset. */
  int published;

  boolean refusing;
  boolean keeping = true;
  boolean closed;

  private final int partitions;
  private final int maxMessageBytes;
  private long ticket;

  TestQueue(int partitions, int maxMessageBytes) {
    this.partitions = partitions;
    this.maxMessageBytes = maxMessageBytes;
  }

  TestQueue() {
    this(1, Capabilities.MAX_MESSAGE_BYTES);
  }

  MessageQueue queue() {
    return (MessageQueue)
        Proxy.newProxyInstance(
            MessageQueue.class.getClassLoader(),
            new Class<?>[] {MessageQueue.class},
            (proxy, method, args) ->
                switch (method.getName()) {
                  case "name" -> "test";
                  case "partitions" -> partitions;
                  case "capabilities" -> new Capabilities(Level.MEMORY, true, maxMessageBytes);
                  case "appender", "answers" -> this;
                  case "appendTimes" -> new AppendTimes(partitions);
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  /** The envelope of the last message. */
  Message last() {
    Appended last = appended.getLast();
    return Message.peek("test", last.partition(), ticket - 1, ByteBuffer.wrap(last.bytes()));
  }

  @Override
  public long append(int partition, ByteBuffer message) {
    if (refusing) {
      throw new QueueRefused(QueueRefused.Reason.FULL, 1, Duration.ofMillis(10), "full");
    }
    if (keeping) {
      appended.add(new Appended(partition, MemoryQueueTest.bytes(message)));
    }
    return ++ticket;
  }

  @Override
  public void publish() {
    published++;
  }

  @Override
  public void publish(GroupOffset offset) {
    offsets.add(offset);
  }

  @Override
  public long ticket() {
    return ticket;
  }

  @Override
  public long position() {
    return ticket - 1;
  }

  @Override
  public boolean isAcknowledged(long asked) {
    return asked <= ticket;
  }

  @Override
  public void await(long ticket, Duration timeout) {}

  @Override
  public void onAcknowledged(AcknowledgementListener listener) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {
    closed = true;
  }
}
