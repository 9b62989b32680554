/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.ring;

import io.forebay.chronicle.file.StoredFrame;
import io.forebay.file.DurableFiles;
import io.forebay.machine.CrashPoint;
import io.forebay.operations.StartRefused;
import io.forebay.queue.Level;
import io.forebay.queue.Storage;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open ring of one partition: a file with a page that says whose it is and has the counters,
 * and the frames. It is mapped and locked while it is open. Every page exists before it is mapped:
 * touching a page for which the file system has no room would be an error of the JVM.
 *
 * <p>One thread at a time offers, one at a time takes the oldest frame; the rest is thread-safe.
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

    /** The first bytes of a ring with so many bytes for frames. */
    private ByteBuffer header(long bytes) {
      ByteBuffer header = ByteBuffer.allocate(IDENTITY_BYTES);
      header.putLong(MAGIC).putLong(bytes);
      header.putLong(queue.getMostSignificantBits()).putLong(queue.getLeastSignificantBits());
      return header.putLong(partition).flip();
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(PartitionRing.class);
  private static final int HEADER_BYTES = 4096;
  private static final long MAGIC = 0x0266_6269_7265_6E67L; // the first byte is the format
  private static final int IDENTITY_BYTES = 40;
  private static final int CHUNK_BYTES = 1 << 20;
  private static final Set<OpenOption> EXISTING =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
  private static final Set<OpenOption> NEW =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);

  private final Owner owner;
  private final Path path;
  private final RingSettings settings;
  private final FileChannel channel;
  private final Arena arena = Arena.ofShared();
  private final Ring ring;
  private final StoredFrame offered = new StoredFrame();
  private final StoredFrame oldest = new StoredFrame();

  private PartitionRing(Owner owner, Path path, RingSettings settings, FileChannel channel)
      throws IOException {
    this.owner = owner;
    this.path = path;
    this.settings = settings;
    this.channel = channel;
    MemorySegment all = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size(), arena);
    ring = new Ring(all.asSlice(0, HEADER_BYTES), all.asSlice(HEADER_BYTES));
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
    Path next = path.resolveSibling(path.getFileName() + ".next");
    Files.deleteIfExists(next);
    long usable = Files.getFileStore(settings.directory()).getUsableSpace();
    if (usable < HEADER_BYTES + settings.bytes()) {
      throw noRoom(path, settings, usable, null);
    }
    FileChannel channel = FileChannel.open(next, NEW, DurableFiles.accessibleToOwner());
    try {
      lock(path, channel);
      fill(channel, owner, settings);
      Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      CrashPoint.hit("ring-before-note");
      new RingNote(path, owner.level(), owner.boot()).write(owner.directory());
      return new PartitionRing(owner, path, settings, channel);
    } catch (IOException e) {
      channel.close();
      Files.deleteIfExists(next);
      throw noRoom(path, settings, usable, e);
    } catch (RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static void fill(FileChannel channel, Owner owner, RingSettings settings)
      throws IOException {
    long all = HEADER_BYTES + settings.bytes();
    ByteBuffer zeros = ByteBuffer.allocate(CHUNK_BYTES);
    for (long at = 0; at < all; at += zeros.limit()) {
      writeAll(channel, zeros.clear().limit((int) Math.min(CHUNK_BYTES, all - at)), at);
    }
    writeAll(channel, owner.header(settings.bytes()), 0);
  }

  private static StartRefused noRoom(
      Path path, RingSettings settings, long usable, @Nullable Exception e) {
    return new StartRefused(
        "The ring %s cannot be created (bytes=%,d, free=%,d%s); make room, or set forebay.chronicle.ring.directory or forebay.chronicle.ring.size"
            .formatted(path, settings.bytes(), usable, e == null ? "" : ", error: " + e));
  }

  /**
   * Reads the ring that a former process left, into memory.
   *
   * @return null if it is not a ring of this partition, or damaged
   */
  static @Nullable Ring read(Owner owner, Path path, Arena memory) throws IOException {
    try (FileChannel channel = FileChannel.open(path, EXISTING)) {
      lock(path, channel);
      MemorySegment all = memory.allocate(channel.size(), Long.BYTES);
      ByteBuffer content = all.asByteBuffer();
      while (content.hasRemaining() && channel.read(content) > 0) {}
      ByteBuffer header = owner.header(channel.size() - HEADER_BYTES);
      if (content.position() < HEADER_BYTES || header.mismatch(content.flip()) < header.limit()) {
        return null;
      }
      Ring ring = new Ring(all.asSlice(0, HEADER_BYTES), all.asSlice(HEADER_BYTES));
      return ring.isPossible() ? ring : null;
    }
  }

  private static void lock(Path path, FileChannel channel) throws IOException {
    boolean locked;
    try {
      locked = channel.tryLock() != null;
    } catch (OverlappingFileLockException e) {
      locked = false;
    }
    if (!locked) {
      throw new StartRefused(
          "The ring %s is in use by another process; two copies of one data directory need different values of forebay.chronicle.ring.directory"
              .formatted(path));
    }
  }

  private static void writeAll(FileChannel channel, ByteBuffer bytes, long at) throws IOException {
    for (long to = at; bytes.hasRemaining(); ) {
      to += channel.write(bytes, to);
    }
  }

  /** Whether the ring takes messages of this size. */
  public boolean takes(int messageBytes) {
    return ring.takes(messageBytes);
  }

  /** Whether an append waits while it is full. */
  public boolean blocks() {
    return settings.whenFull() == RingSettings.WhenFull.BLOCK;
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
        Files.deleteIfExists(path);
      } else {
        LOG.warn(
            "{}: messages remain in the ring {} (bytes={}); keep it, the next start writes them to"
                + " the files",
            owner.name(),
            path,
            ring.used());
      }
      arena.close();
      channel.close();
    } catch (IOException e) {
      LOG.warn("{}: the ring {} could not be deleted", owner.name(), path, e);
    }
  }
}
