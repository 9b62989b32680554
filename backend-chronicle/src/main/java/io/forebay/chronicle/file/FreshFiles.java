/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;

/**
 * New files for a partition, written beside the old ones and renamed over them after they are
 * forced. Nothing else may use the partition meanwhile.
 */
public final class FreshFiles implements AutoCloseable {

  public static final String DIRECTORY = "rewrite";

  private final Path directory;
  private final QueueSettings settings;
  private final CycleFiles files;
  private final SingleChronicleQueue queue;
  private final FrameWriter writer;
  private volatile long now;

  FreshFiles(Path partition, QueueSettings settings, CycleFiles files) throws IOException {
    this.settings = settings;
    this.files = files;
    directory = partition.resolve(DIRECTORY);
    PrivateFiles.ownDirectory(directory);
    now = files.startMillis(files.oldest());
    queue =
        SingleChronicleQueueBuilder.binary(directory.toFile())
            .rollCycle(settings.host().roll())
            .timeProvider(() -> now)
            .blockSize(settings.host().blockBytes())
            .build();
    writer = new FrameWriter(queue);
  }

  /** Deletes what an interrupted attempt left behind. */
  static void clear(Path partition) throws IOException {
    Path directory = partition.resolve(DIRECTORY);
    if (Files.exists(directory)) {
      try (DirectoryStream<Path> left = Files.newDirectoryStream(directory)) {
        for (Path file : left) {
          Files.delete(file);
        }
      }
      Files.delete(directory);
    }
  }

  /** The writer to the new file of a cycle; call with increasing cycles. */
  FrameWriter of(int cycle) {
    now = files.startMillis(cycle);
    return writer;
  }

  /** Makes the new files durable. They cannot be written to afterwards. */
  void finish(List<Integer> cycles) throws IOException {
    close();
    for (int cycle : cycles) {
      Path file = path(cycle);
      if (Files.exists(file)) {
        PrivateFiles.ownFile(file);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
          settings.host().force().force(channel, true);
        }
      }
    }
  }

  /**
   * Replaces the old files by the new ones, from the end, and deletes an old file that has no new
   * one. At any moment, each file is the old or the new one.
   */
  void replace(List<Integer> cycles) throws IOException {
    for (int cycle : cycles.reversed()) {
      replace(cycle);
    }
  }

  private void replace(int cycle) throws IOException {
    if (Files.exists(path(cycle))) {
      Files.move(
          path(cycle),
          files.path(cycle),
          StandardCopyOption.ATOMIC_MOVE,
          StandardCopyOption.REPLACE_EXISTING);
    } else {
      Files.delete(files.path(cycle));
    }
    PrivateFiles.forceDirectory(files.path(cycle).getParent());
  }

  private Path path(int cycle) {
    return directory.resolve(files.path(cycle).getFileName());
  }

  @Override
  public void close() {
    if (!queue.isClosed()) {
      writer.close();
      queue.close();
    }
  }
}
