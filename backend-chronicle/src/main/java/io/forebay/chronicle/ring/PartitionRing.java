/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.ring;

import io.forebay.chronicle.file.StoredFrame;
import io.forebay.machine.CrashPoint;
import io.forebay.operations.StartRefused;
import io.forebay.queue.Level;
import io.forebay.queue.Storage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open ring of one partition. One thread at a time offers, one at a time takes the oldest
 * frame; the rest is thread-safe.
 */
public final class PartitionRing {

  /**
   * Whose ring it is.
   *
   * @param name of the partition, in messages
   * @param directory of its files
   * @param queue the identity of the queue
   * @param boot identifies the current boot of the host; empty if unknown
   */
  public record Owner(
      String name, Path directory, UUID queue, int partition, Level level, String boot) {

    private Path ring(Path rings) {
      return rings.resolve("forebay-" + queue + "-" + partition + ".ring");
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(PartitionRing.class);

  private final Owner owner;
  private final RingFile file;
  private final Ring ring;
  private final StoredFrame offered = new StoredFrame();
  private final StoredFrame oldest = new StoredFrame();

  private PartitionRing(Owner owner, RingFile file) {
    this.owner = owner;
    this.file = file;
    ring = file.ring();
  }

  /**
   * Creates the ring of a partition, whose former ring {@link RingRecovery} has emptied.
   *
   * @throws StartRefused if there is no room for it
   */
  public static PartitionRing create(Owner owner, RingSettings settings) throws IOException {
    if (!Files.isDirectory(settings.directory())) {
      throw new StartRefused(
          "The ring of %s cannot be created: directory %s does not exist; set forebay.chronicle.ring.directory to one in memory"
              .formatted(owner.name(), settings.directory()));
    }
    Path path = owner.ring(settings.directory());
    RingFile file = RingFile.create(path, owner.queue(), owner.partition(), settings.bytes());
    try {
      CrashPoint.hit("ring-before-note");
      new RingNote(path, owner.level(), owner.boot()).write(owner.directory());
    } catch (Throwable e) {
      file.close();
      throw e;
    }
    return new PartitionRing(owner, file);
  }

  /** Whether the ring takes messages of this size. */
  public boolean takes(int messageBytes) {
    return ring.takes(messageBytes);
  }

  /**
   * Puts a message.
   *
   * @param forced everything before this message is forced to disk
   * @return false if there is no room for it
   */
  public boolean offer(long number, long forced, ByteBuffer message) {
    offered.message(number, forced, message);
    return ring.offer(offered);
  }

  /** The oldest message; null if it is damaged. Every call returns the same buffer. */
  public @Nullable StoredFrame oldest() {
    return ring.peek(oldest) && oldest.kind() == StoredFrame.MESSAGE ? oldest : null;
  }

  /** Releases the oldest message, which is in the file now. */
  public void release() {
    ring.release();
  }

  /** Notes how full it is; called now and then before the oldest messages are taken. */
  public void measure() {
    ring.measure();
  }

  public RingReader newReader() {
    return new RingReader(ring);
  }

  public boolean isHalfFull() {
    return ring.used() > ring.capacity() / 2;
  }

  public Storage.Ring stats() {
    return new Storage.Ring(
        ring.capacity(), ring.used(), ring.highWater(), Duration.ofNanos(ring.lagNanos()));
  }

  /** Closes it, and deletes it if everything is in the file. */
  public void close(boolean drained) {
    try {
      if (drained) {
        CrashPoint.hit("ring-drained");
        RingNote.delete(owner.directory());
        CrashPoint.hit("ring-without-note");
        Files.deleteIfExists(file.path());
      } else {
        LOG.warn(
            "{}: messages remain in the ring {} (bytes={}); keep it, the next start writes them to the files",
            owner.name(),
            file.path(),
            ring.used());
      }
      file.close();
    } catch (IOException e) {
      LOG.warn("{}: the ring {} could not be deleted", owner.name(), file.path(), e);
    }
  }
}
