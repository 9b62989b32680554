/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.queue.Appender;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.QueueFailed;
import java.util.List;

/** A message is complete when the queue has acknowledged it. */
final class AppendPath extends ProbePath {

  private static final Protocol<ProbeCalls> CALLS = Protocol.of(ProbeCalls.class);

  private final MessageQueue queue;
  private final Writer<ProbeCalls> writer;
  private final byte[] content;

  AppendPath(QueueBackend backend, String name, int bytes) {
    queue = backend.open(name + ".in", 1, KEPT);
    content = new byte[bytes];
    writer = CALLS.writer(queue);
    writer.onAcknowledged(
        new Appender.AcknowledgementListener() {
          @Override
          public void acknowledged(int partition, long ticket, long position) {
            completedNext();
          }

          @Override
          public void failed(long fromTicket, QueueFailed cause) {
            AppendPath.this.failed(cause);
          }
        });
  }

  @Override
  void append(long due) {
    writer.calls().message(due, content);
  }

  @Override
  MessageQueue in() {
    return queue;
  }

  @Override
  List<MessageQueue> queues() {
    return List.of(queue);
  }

  @Override
  public void close() {
    try (queue) {
      writer.close();
    }
  }
}
