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
import net.openhft.chronicle.queue.ExcerptTailer;

/**
 * Appends messages of the same length as Forebay's and nothing else: the minimum cost of writing.
 */
final class BareAppend implements Contender {

  private final Path folder;
  private final ChronicleQueue queue;
  private final ExcerptAppender appender;
  private final Bytes<?> message;

  private BareAppend(Path folder, int length) {
    this.folder = folder;
    queue = ChronicleQueue.singleBuilder(folder).build();
    appender = queue.createAppender();
    message = Bytes.allocateElasticDirect(length);
    for (int i = 0; i < length; i++) {
      message.writeByte((byte) ('a' + i % 26));
    }
  }

  static BareAppend open(Place place) {
    return open(place, ForebayMessage.length());
  }

  /**
   * @param length the length of a message in bytes
   */
  static BareAppend open(Place place, int length) {
    return new BareAppend(place.folder().resolve("in"), length);
  }

  /** Reads the messages from the first one on. */
  ExcerptTailer tailer() {
    return queue.createTailer();
  }

  @Override
  public void write(Burst burst) {
    for (long number = burst.from(); number < burst.to(); number++) {
      message.writeLong(0, number);
      appender.writeBytes(message);
    }
  }

  @Override
  public void writeNothing(Burst burst) {
    // It has no arguments that a caller would have to allocate.
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
