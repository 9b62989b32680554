/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.ring;

import io.forebay.chronicle.file.PrivateFiles;
import io.forebay.machine.CrashPoint;
import io.forebay.operations.StartRefused;
import io.forebay.queue.Level;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Set;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ring of one partition in its file: a page that says whose it is, with the counters, and the
 * frames. It is mapped and locked while it is open. Every page exists before it is mapped: touching
 * a page for which the file system has no room would be an error of the JVM.
 */
public final class PartitionRing implements AutoCloseable {

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

    private byte[] identity(long bytes) {
      ByteBuffer header = ByteBuffer.allocate(IDENTITY_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      header.putLong(MAGIC).putLong(bytes);
      header.putLong(queue.getMostSignificantBits()).putLong(queue.getLeastSignificantBits());
      header.putInt(partition).putInt(0);
      CRC32C crc = new CRC32C();
      crc.update(header.array(), 0, header.position());
      return header.putInt((int) crc.getValue()).array();
    }
  }

  private static final Logger LOG = LoggerFactory.getLogger(PartitionRing.class);
  private static final int HEADER_BYTES = 4096;
  private static final long MAGIC = 0x676E_6972_6562_6601L; // the last byte is the format
  private static final int IDENTITY_BYTES = 44;
  private static final int CHUNK_BYTES = 1 << 20;
  private static final Set<OpenOption> EXISTING =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
  private static final Set<OpenOption> NEW =
      Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);

  private final Owner owner;
  private final Path path;
  private final FileChannel channel;
  private final Arena arena = Arena.ofShared();
  private final Ring ring;

  private PartitionRing(Owner owner, Path path, FileChannel channel) throws IOException {
    this.owner = owner;
    this.path = path;
    this.channel = channel;
    try {
      MemorySegment all = channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size(), arena);
      ring = new Ring(all.asSlice(0, HEADER_BYTES), all.asSlice(HEADER_BYTES));
    } catch (Throwable e) {
      close();
      throw e;
    }
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
    PartitionRing created = create(owner, path, settings.bytes());
    try {
      CrashPoint.hit("ring-before-note");
      new RingNote(path, owner.level(), owner.boot()).write(owner.directory());
      return created;
    } catch (Throwable e) {
      created.close();
      throw e;
    }
  }

  /** Creates an empty ring in the place of what is there. */
  private static PartitionRing create(Owner owner, Path path, long bytes) throws IOException {
    Path next = path.resolveSibling(path.getFileName() + ".next");
    Files.deleteIfExists(next);
    long all = HEADER_BYTES + bytes;
    long usable = Files.getFileStore(path.toAbsolutePath().getParent()).getUsableSpace();
    if (usable < all) {
      throw noRoom(path, all, usable, null);
    }
    FileChannel channel = FileChannel.open(next, NEW, PrivateFiles.file());
    try {
      lock(path, channel);
      ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).order(ByteOrder.LITTLE_ENDIAN);
      header.put(owner.identity(bytes)).clear();
      writeAll(channel, header, 0);
      ByteBuffer zeros = ByteBuffer.allocate(CHUNK_BYTES);
      for (long at = HEADER_BYTES; at < all; at += zeros.limit()) {
        writeAll(channel, zeros.clear().limit((int) Math.min(CHUNK_BYTES, all - at)), at);
      }
    } catch (IOException e) {
      channel.close();
      Files.deleteIfExists(next);
      throw noRoom(path, all, usable, e);
    } catch (RuntimeException e) {
      channel.close();
      throw e;
    }
    Files.move(next, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    return new PartitionRing(owner, path, channel);
  }

  private static StartRefused noRoom(Path path, long wanted, long usable, @Nullable Exception e) {
    return new StartRefused(
        "The ring %s cannot be created (bytes=%,d, free=%,d%s); make room, or set forebay.chronicle.ring.directory or forebay.chronicle.ring.size"
            .formatted(path, wanted, usable, e == null ? "" : ", error: " + e));
  }

  /**
   * Opens a ring that exists.
   *
   * @throws Misfit if it is not a ring of that partition
   */
  static PartitionRing open(Owner owner, Path path) throws IOException, Misfit {
    FileChannel channel = FileChannel.open(path, EXISTING);
    try {
      lock(path, channel);
      long bytes = channel.size() - HEADER_BYTES;
      if (bytes <= 0 || Long.bitCount(bytes) != 1) {
        throw new Misfit("the ring %s with a wrong size".formatted(path));
      }
      byte[] header = new byte[IDENTITY_BYTES];
      channel.read(ByteBuffer.wrap(header), 0);
      if (!Arrays.equals(header, owner.identity(bytes))) {
        throw new Misfit(
            "the ring %s with a damaged header, or of another queue or partition".formatted(path));
      }
      touch(channel);
    } catch (Throwable e) {
      channel.close();
      throw e;
    }
    PartitionRing opened = new PartitionRing(owner, path, channel);
    if (!opened.ring.isPossible()) {
      opened.close();
      throw new Misfit("the ring %s with wrong counters".formatted(path));
    }
    return opened;
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

  /** Writes every page again, unchanged: a copy of a file may lack pages. */
  private static void touch(FileChannel channel) throws IOException {
    ByteBuffer chunk = ByteBuffer.allocate(CHUNK_BYTES);
    for (long at = 0; channel.read(chunk.clear(), at) > 0; ) {
      int count = chunk.position();
      writeAll(channel, chunk.flip(), at);
      at += count;
    }
  }

  private static void writeAll(FileChannel channel, ByteBuffer bytes, long at) throws IOException {
    for (long to = at; bytes.hasRemaining(); ) {
      to += channel.write(bytes, to);
    }
  }

  public Ring ring() {
    return ring;
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
            "{}: messages remain in the ring {} (bytes={}); keep it, the next start writes them to the files",
            owner.name(),
            path,
            ring.used());
      }
      close();
    } catch (IOException e) {
      LOG.warn("{}: the ring {} could not be deleted", owner.name(), path, e);
    }
  }

  @Override
  public void close() throws IOException {
    arena.close();
    channel.close();
  }

  /** What was found is not a ring of the partition; the message says what. */
  static final class Misfit extends Exception {
    private static final long serialVersionUID = 1;

    Misfit(String what) {
      super(what);
    }
  }
}
