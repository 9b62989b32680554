/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;

/** The Chronicle queue of one partition, with lookup by message number. Thread-safe. */
public final class FrameStore implements AutoCloseable {

  private static final int LOCK_TIMEOUT_MILLIS = 2_000;

  private final Path directory;
  private final CycleFiles files;
  private final SingleChronicleQueue queue;
  private final Function<SingleChronicleQueue, FrameWriter> writers;
  private final Lookup lookup;
  private final DiskUse diskUse;

  FrameStore(String name, Path directory, QueueSettings settings) throws IOException {
    this.directory = directory;
    PrivateFiles.ownDirectory(directory);
    // Chronicle keeps its lock and its directory listing in this file. Nobody else can hold the
    // lock, since this process owns the data directory. Deleting the file prevents a dead
    // process's lock, or damage in the file, from blocking the start. Chronicle recreates it
    // from the queue files.
    Path metadata = directory.resolve(SingleChronicleQueue.QUEUE_METADATA_FILE);
    Files.deleteIfExists(metadata);
    files = new CycleFiles(name, directory, settings.host());
    files.checkHeaders();
    if (!files.isEmpty()) {
      settings.clock().notBefore(files.startMillis(files.newest()));
      PrivateFiles.ownFile(files.path(files.newest()));
    }
    queue =
        SingleChronicleQueueBuilder.binary(directory.toFile())
            .rollCycle(settings.host().roll())
            .timeProvider(settings.clock())
            .blockSize(settings.host().blockBytes())
            .timeoutMS(LOCK_TIMEOUT_MILLIS)
            .build();
    writers = settings.host().writers();
    try {
      PrivateFiles.ownFile(metadata);
    } catch (Throwable e) {
      queue.close();
      throw e;
    }
    lookup = new Lookup(files, this::newReader);
    diskUse = new DiskUse(files, queue);
  }

  public Path directory() {
    return directory;
  }

  public CycleFiles files() {
    return files;
  }

  public FrameReader newReader() {
    return new FrameReader(queue.createTailer(), files);
  }

  public FrameWriter newWriter() {
    return writers.apply(queue);
  }

  Pretouch.Ahead ahead(CycleClock clock) {
    return new Pretouch.Ahead(queue, files, clock);
  }

  /** Positions a reader at the first message at or after a number. */
  public void locate(FrameReader tailing, long number) {
    lookup.locate(tailing, number);
  }

  /** Reads from a message to the end. There must be no concurrent appends. */
  public LogEnd examineFrom(long number) throws IOException {
    try (FrameReader reader = newReader()) {
      files.discover();
      if (!files.isEmpty()) {
        lookup.locate(reader, Math.max(number, files.first(number)));
      }
      return LogEnd.examine(reader, files, queue);
    }
  }

  /**
   * Writes all pages from a message on again, unchanged, so that the next force really writes them.
   */
  public void rewriteFrom(long number) throws IOException {
    try (FrameReader reader = newReader()) {
      lookup.locate(reader, number);
      boolean found = reader.next() == StoredFrame.MESSAGE;
      int first = found ? reader.cycle() : files.newest();
      long start = found ? reader.start() : 0;
      for (int cycle : files.cycles(first - 1, files.newest())) {
        Unproven.rewrite(
            files.path(cycle), cycle == first ? start : 0, LogEnd.writePosition(cycle, queue));
      }
    }
  }

  public DiskUse diskUse() {
    return diskUse;
  }

  @Override
  public void close() {
    queue.close();
  }
}
