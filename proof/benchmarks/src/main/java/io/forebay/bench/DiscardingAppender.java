/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.queue.Appender;
import io.forebay.queue.Appender.AcknowledgementListener;
import io.forebay.queue.Capabilities;
import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.time.AppendTimes;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.Consumer;

/** Discards messages, so that a writer does nothing but encode them. */
final class DiscardingAppender implements Appender {

  private ByteBuffer last = ByteBuffer.allocate(0);
  private long ticket;

  /** The message of a call. */
  static <T> ByteBuffer message(Class<T> type, Consumer<T> call) {
    DiscardingAppender appender = new DiscardingAppender();
    try (Writer<T> writer = appender.writer(Protocol.of(type))) {
      call.accept(writer.calls());
    }
    return ByteBuffer.allocate(appender.last.remaining()).put(appender.last).flip();
  }

  <T> Writer<T> writer(Protocol<T> protocol) {
    return protocol.writer(queue());
  }

  /** A queue of which a writer can use only this appender. */
  private MessageQueue queue() {
    return (MessageQueue)
        Proxy.newProxyInstance(
            MessageQueue.class.getClassLoader(),
            new Class<?>[] {MessageQueue.class},
            (_, method, _) ->
                switch (method.getName()) {
                  case "name" -> "discarded";
                  case "partitions" -> 1;
                  case "capabilities" ->
                      new Capabilities(Level.MEMORY, true, Capabilities.MAX_MESSAGE_BYTES);
                  case "appender" -> this;
                  case "appendTimes" -> new AppendTimes(1);
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  @Override
  public long append(int partition, ByteBuffer message) {
    last = message;
    return ++ticket;
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
  public void close() {}
}
