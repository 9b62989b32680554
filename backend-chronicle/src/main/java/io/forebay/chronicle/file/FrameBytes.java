/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.NavigableSet;
import java.util.TreeSet;
import net.openhft.chronicle.wire.Wires;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bytes of one file, and the good frames in them. It reads the file block by block. In a
 * mapping, a sector that the disk cannot read is a signal to the process; here it is an exception,
 * and the block counts as zeros, like one that was never written. An interrupt of the thread does
 * not disturb it. For one thread.
 *
 * <p>It uses nothing of Chronicle but the constants of its documents: {@link Wires} itself loads
 * libraries of which the JVM warns on the standard error of a command.
 */
final class FrameBytes implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(FrameBytes.class);
  private static final int BLOCK = 4096;
  private static final int SECTOR = 512;
  private static final int WINDOW = 64 << 10;
  private static final byte[] ZEROS = new byte[WINDOW];

  /** Then the disk is broken, and the read of each further block might take seconds. */
  private static final int MOST_UNREADABLE = 1024;

  private final Path path;
  private final RandomAccessFile file;
  private final Host.Read disk;
  private final NavigableSet<Long> unreadable = new TreeSet<>();
  private long size;

  /** What was read last: the bytes from a place on. */
  private byte[] bytes = new byte[WINDOW];

  private ByteBuffer window = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
  private long start;
  private int loaded;

  /**
   * @throws NoSuchFileException if it was deleted
   */
  FrameBytes(Path path, Host.Read disk) throws IOException {
    this.path = path;
    this.disk = disk;
    try {
      file = new RandomAccessFile(path.toFile(), "r");
    } catch (FileNotFoundException e) {
      throw Files.exists(path) ? e : new NoSuchFileException(path.toString());
    }
    try {
      grow();
    } catch (Throwable e) {
      close();
      throw e;
    }
  }

  static boolean isReady(int header) {
    return header != Wires.NOT_INITIALIZED && (header & Wires.NOT_COMPLETE) == 0;
  }

  static boolean isReadyMetaData(int header) {
    return isReady(header) && (header & Wires.META_DATA) != 0;
  }

  /** The end of a document with this header. */
  static long behind(long place, int header) {
    return place + Integer.BYTES + (((header & Wires.LENGTH_MASK) + 3L) & -4L);
  }

  long size() {
    return size;
  }

  /** Returns whether the file has grown. */
  boolean grow() throws IOException {
    long now = file.length();
    boolean grown = now > size;
    size = Math.max(size, now);
    return grown;
  }

  /** Has everything read again, because another process may have written it meanwhile. */
  void forget() {
    loaded = 0;
  }

  /** The header of the document that may begin at a place. */
  int header(long place) throws IOException {
    load(place, Integer.BYTES);
    return window.getInt((int) (place - start));
  }

  private long word(long place) throws IOException {
    load(place, Long.BYTES);
    return window.getLong((int) (place - start));
  }

  /** Reads the frame at a place; returns false if no good frame begins there. */
  boolean read(StoredFrame into, long place) throws IOException {
    if (place + Integer.BYTES + StoredFrame.HEADER_BYTES > size) {
      return false;
    }
    int header = header(place); // of a ready document the header is the length
    int length = header - StoredFrame.HEADER_BYTES;
    if (length < 0
        || length > StoredFrame.MAX_LENGTH
        || place + Integer.BYTES + header > size
        || !StoredFrame.isKnown(word(place + Integer.BYTES))) {
      return false;
    }
    load(place, Integer.BYTES + header);
    return into.read(window, (int) (place - start) + Integer.BYTES, length);
  }

  /**
   * Looks for a good frame that begins from one place up to another.
   *
   * @return where it begins, or -1
   */
  long find(StoredFrame into, long from, long to) throws IOException {
    long place = from;
    while (place < to) {
      if (read(into, place)) {
        return place;
      }
      place += Integer.BYTES;
      if (place + Long.BYTES <= to && word(place) == 0) {
        place = behindZeros(place, to) & -Integer.BYTES;
      }
    }
    return -1;
  }

  /** The first place that is not zero, or {@code to}. */
  long behindZeros(long from, long to) throws IOException {
    long place = from;
    while (place < to) {
      load(place, 1);
      int at = (int) (place - start);
      int count = (int) Math.min(Math.min(loaded - at, WINDOW), to - place);
      int other = Arrays.mismatch(bytes, at, at + count, ZEROS, 0, count);
      if (other >= 0) {
        return place + other;
      }
      place += count;
    }
    return to;
  }

  /** Whether each sector of a document was written, as far as its bytes show. */
  boolean isComplete(long from, long to) throws IOException {
    for (long place = from; place < to; ) {
      long end = Math.min(to, (place & -SECTOR) + SECTOR);
      if (behindZeros(place, end) == end) {
        return false;
      }
      place = end;
    }
    return true;
  }

  /** Names the first sector from one place up to another that the disk could not read, or null. */
  @Nullable String unreadable(long from, long to) {
    Long place = unreadable.ceiling(from & -BLOCK);
    return place == null || place >= to
        ? null
        : "a sector that the disk cannot read (file %s, byte %,d)"
            .formatted(path.getFileName(), place);
  }

  private void load(long place, int count) throws IOException {
    if (place >= start && place + count <= start + loaded) {
      return;
    }
    start = place & -BLOCK;
    int wanted = (int) Math.min(size - start, Math.max(WINDOW, place - start + count));
    if (wanted > bytes.length) {
      bytes = new byte[wanted];
      window = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
    loaded = 0;
    while (loaded < wanted) {
      int read = read(wanted - loaded);
      if (read < 0) { // it became shorter
        Arrays.fill(bytes, loaded, wanted, (byte) 0);
        read = wanted - loaded;
      }
      loaded += read;
    }
  }

  private int read(int count) throws IOException {
    long from = start + loaded;
    try {
      return disk.read(file, from, bytes, loaded, count);
    } catch (IOException e) {
      return readBlock(from, Math.min(count, BLOCK - (int) (from & BLOCK - 1)));
    }
  }

  private int readBlock(long from, int count) throws IOException {
    try {
      return disk.read(file, from, bytes, loaded, count);
    } catch (IOException e) {
      if (unreadable.size() >= MOST_UNREADABLE) {
        throw e;
      }
      if (unreadable.isEmpty()) {
        LOG.warn("{}: the disk cannot read the sector at byte {}", path, from, e);
      }
      unreadable.add(from & -BLOCK);
      Arrays.fill(bytes, loaded, loaded + count, (byte) 0);
      return count;
    }
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      // it was only read
    }
  }
}
