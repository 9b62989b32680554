/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.call;

import io.forebay.queue.MessageQueue;
import io.forebay.queue.Tailer;
import io.forebay.queue.memory.MemoryBackend;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Tests that write through a memory queue and inspect its content. */
abstract class MemoryQueueTest {

  private final MemoryBackend backend = MemoryBackend.open();

  @AfterEach
  void closeBackend() {
    backend.close();
  }

  final MessageQueue open(String name, int partitions) {
    return backend.open(name, partitions);
  }

  /** The bytes of all messages of a partition. */
  static List<byte[]> messages(MessageQueue queue, int partition) {
    List<byte[]> messages = new ArrayList<>();
    try (Tailer tailer = queue.tailer(partition)) {
      while (tailer.poll(100, (position, message) -> messages.add(bytes(message))) > 0) {
        // the next hundred
      }
    }
    return messages;
  }

  /** Reads a partition from its start to its end. */
  static <T> void readAll(MessageQueue queue, int partition, CallReader<T> reader) {
    try (Tailer tailer = queue.tailer(partition)) {
      while (tailer.poll(100, reader.handler(partition)) > 0) {
        // the next hundred
      }
    }
  }

  static byte[] bytes(ByteBuffer message) {
    byte[] bytes = new byte[message.remaining()];
    message.get(message.position(), bytes);
    return bytes;
  }
}
