/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.nio.file.Path;
import java.util.List;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;

/**
 * Appends messages of the same length as Forebay's and nothing else: the minimum cost of writing.
 */
class BareAppend implements Contender {

  protected final ChronicleQueue queue;
  private final Path folder;
  private final ExcerptAppender appender;
  private final Bytes<?> message;

  /**
   * @param length the length of a message in bytes
   */
  BareAppend(Path parent, int length) {
    folder = parent.resolve("in");
    queue = ChronicleQueue.singleBuilder(folder).build();
    appender = queue.createAppender();
    message = Bytes.allocateElasticDirect(length);
    for (int i = 0; i < length; i++) {
      message.writeByte((byte) ('a' + i % 26));
    }
  }

  @Override
  public void write(Burst burst) {
    for (long number = burst.from(); number < burst.to(); number++) {
      message.writeLong(0, number);
      appender.writeBytes(message);
    }
  }

  @Override
  public List<Path> queues() {
    return List.of(folder);
  }

  @Override
  public void close() {
    appender.close();
    queue.close();
    message.releaseLast();
  }
}
