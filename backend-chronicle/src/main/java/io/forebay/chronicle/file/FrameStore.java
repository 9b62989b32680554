/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;

/** The files of one partition, and the Chronicle queue that writes them. Thread-safe. */
public final class FrameStore implements AutoCloseable {

  private static final int LOCK_TIMEOUT_MILLIS = 2_000;

  private final Partition partition;
  private final CycleFiles files;
  private final SingleChronicleQueue queue;
  private final DiskUse diskUse;

  FrameStore(Partition partition) throws IOException {
    this.partition = partition;
    Path directory = partition.directory();
    QueueSettings settings = partition.settings();
    // Chronicle keeps its lock and its directory listing in this file. Nobody else can hold the
    // lock, since this process owns the data directory. Deleting the file prevents a dead
    // process's lock, or damage in the file, from blocking the start. Chronicle recreates it
    // from the queue files.
    Path metadata = directory.resolve(SingleChronicleQueue.QUEUE_METADATA_FILE);
    Files.deleteIfExists(metadata);
    files = new CycleFiles(partition);
    files.checkHeaders();
    if (!files.isEmpty()) {
      settings.clock().notBefore(files.startMillis(files.newest()));
      Permissions.ownFile(files.path(files.newest()));
    }
    queue =
        SingleChronicleQueueBuilder.binary(directory.toFile())
            .rollCycle(settings.host().roll())
            .timeProvider(settings.clock())
            .blockSize(settings.blockBytes())
            .timeoutMS(LOCK_TIMEOUT_MILLIS)
            .build();
    diskUse = new DiskUse(files, queue);
    try {
      Permissions.ownFile(metadata);
    } catch (Throwable e) {
      queue.close();
      throw e;
    }
  }

  public Path directory() {
    return partition.directory();
  }

  public CycleFiles files() {
    return files;
  }

  public FrameReader newReader() {
    return new FrameReader(
        partition.name(), partition.directory(), partition.salt(), this::written);
  }

  /** Chronicle knows where it wrote last to the newest file. */
  private long written(Path path) {
    try {
      return !files.isEmpty() && path.equals(files.path(files.newest()))
          ? Tail.writePosition(files.newest(), queue)
          : Long.MAX_VALUE;
    } catch (RuntimeException | AssertionError | InternalError e) {
      return Long.MAX_VALUE; // the header of the file is damaged
    }
  }

  public FrameWriter newWriter() {
    return partition.settings().host().writers().apply(queue).salted(partition.salt());
  }

  Pretouch.Ahead ahead(CycleClock clock) {
    return new Pretouch.Ahead(queue, files, clock);
  }

  /** The number of the first message kept, or {@code end} if there is none. */
  public long first(long end) {
    long first = files.firstFrom(files.cycles(), 0);
    return first == FrameFile.NONE ? end : first;
  }

  /** The first number of a file. */
  public long firstOf(int cycle) {
    return files.firstNumber(cycle);
  }

  /** The file that contains a message, or {@code none}. */
  public int cycleOf(long number, int none) {
    return files.isEmpty() ? none : files.cycleOf(number);
  }

  /** Reads from a message to the end. There must be no concurrent appends. */
  public synchronized Tail examineFrom(long number) throws IOException {
    files.discover();
    try (FrameReader reader = newReader()) {
      reader.seek(Math.max(number, first(number)));
      return Tail.examine(reader, files, queue);
    }
  }

  /**
   * Writes all pages from a message on again, unchanged, so that the next force really writes them.
   */
  public synchronized void rewriteFrom(long number) throws IOException {
    try (FrameReader reader = newReader()) {
      reader.seek(number);
      reader.next();
      for (int cycle : files.cycles(files.cycleOf(number) - 1, files.newest())) {
        Path path = files.path(cycle);
        long start = path.equals(reader.path()) ? reader.start() : 0;
        Unproven.rewrite(path, start, Tail.writePosition(cycle, queue));
      }
    }
  }

  public DiskUse diskUse() {
    return diskUse;
  }

  @Override
  public synchronized void close() {
    queue.close();
  }
}
