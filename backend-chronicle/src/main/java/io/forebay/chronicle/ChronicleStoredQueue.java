/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import io.forebay.chronicle.file.Blocks;
import io.forebay.chronicle.place.QueueProperties;
import io.forebay.queue.QueueFailed;
import io.forebay.queue.QueueStats;
import io.forebay.queue.Tailer;
import io.forebay.queue.stored.StoredQueue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.OptionalLong;

/** The directory of a queue, for reading only. */
final class ChronicleStoredQueue implements StoredQueue {

  private final Path directory;
  private final String name;

  ChronicleStoredQueue(Path directory) {
    this.directory = directory;
    name = directory.getFileName().toString();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public int partitions() {
    try {
      return QueueProperties.read(name, directory.resolve(QueueProperties.FILE)).partitions();
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  @Override
  public QueueStats stats(int partition) {
    try (ChronicleStoredTailer tailer = open(partition)) {
      long first = tailer.position();
      long bytes = 0;
      for (Path file : tailer.files()) {
        bytes += bytes(file);
      }
      Map<String, Long> passed =
          new Consumers(directory, partitions(), Instant.EPOCH).passed(partition);
      return new QueueStats(
          OptionalLong.of(first),
          OptionalLong.of(tailer.end()),
          OptionalLong.of(bytes),
          OptionalLong.empty(),
          passed,
          null);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  private static long bytes(Path file) throws IOException {
    try {
      return Blocks.allocated(file).orElse(Files.size(file));
    } catch (NoSuchFileException e) {
      return 0; // retention deleted it
    }
  }

  @Override
  public Tailer tailer(int partition) {
    return open(partition);
  }

  private ChronicleStoredTailer open(int partition) {
    return new ChronicleStoredTailer(name, partition, directory.resolve("" + partition));
  }

  private QueueFailed unreadable(IOException e) {
    return new QueueFailed("queue %s in %s cannot be read (%s)".formatted(name, directory, e), e);
  }
}
