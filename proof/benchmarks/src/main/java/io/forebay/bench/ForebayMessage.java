/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.call.Protocol;
import io.forebay.call.Writer;
import io.forebay.jdbc.JDBCStatement;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;

/** The length of Forebay's message for a statement of a burst. */
final class ForebayMessage {

  /** The message number and CRC32C that the queue stores with each message. */
  private static final int FRAME = Long.BYTES + Integer.BYTES;

  private ForebayMessage() {}

  /** Bytes of the message with its frame, measured by writing one. */
  static int length() {
    Protocol<JDBCStatement> protocol = Protocol.of(JDBCStatement.class);
    int[] length = {FRAME};
    try (MemoryBackend backend = MemoryBackend.open();
        MessageQueue queue = backend.open("one", 1);
        Writer<JDBCStatement> writer = protocol.writer(queue);
        Tailer tailer = queue.tailer(0)) {
      Burst burst = Burst.plain(1_000_000, 1_000_001);
      writer
          .calls()
          .executeUpdate(
              burst.sql(burst.from()),
              burst.from(),
              burst.customer(burst.from()),
              burst.amount(burst.from()));
      tailer.poll(1, (position, message) -> length[0] += message.remaining());
    }
    return length[0];
  }
}
