/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import java.util.zip.CRC32C;
import net.openhft.chronicle.wire.Wires;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames of one file, which may be appended to or deleted meanwhile. It maps the file for
 * reading only and uses nothing of Chronicle but the layout of its documents: Chronicle's own
 * reader opens further files, waits for locks, and stops at damage. For one thread at a time.
 *
 * <p>Some methods find frames without following the documents before them, by their checksums. The
 * salt in the checksum keeps a frame that a sender hides in a message from being found.
 */
public final class FrameFile implements AutoCloseable {

  /** Nothing more is written in this file. */
  public static final int NOTHING = 0;

  /** A frame that differs from what was written. */
  public static final int BAD = -1;

  /** No good frame. */
  static final long NONE = -1;

  private static final VarHandle HEADER = ValueLayout.JAVA_INT.varHandle();
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

  /**
   * Within this distance of any place in the written part, a frame begins: the largest frame and
   * Chronicle's own documents are shorter.
   */
  private static final long NEAREST = 4L << 20;

  /** The stretch that a search reads frame by frame. */
  private static final int SHORT = 64 << 10;

  private final Path path;
  private final int salt;
  private final StoredFrame frame;
  private @Nullable Arena arena;
  private MemorySegment file = MemorySegment.NULL;
  private long at;

  /** No frame begins behind this place, as far as known. */
  private long last = Long.MAX_VALUE;

  /** Where the frame found last begins and ends, and where the one before it ends. */
  private long start;

  private long end;
  private long previousEnd;

  /**
   * @param salt of the partition, see {@link #salt(UUID, int)}
   * @throws java.nio.file.NoSuchFileException if it was deleted
   */
  public FrameFile(Path path, int salt) throws IOException {
    this(path, salt, new StoredFrame());
  }

  /**
   * @param frame the buffer to read into
   */
  FrameFile(Path path, int salt, StoredFrame frame) throws IOException {
    this.path = path;
    this.salt = salt;
    this.frame = frame;
    map(Files.size(path));
  }

  /** What the checksums of a partition are combined with. No sender knows it. */
  public static int salt(UUID queue, int partition) {
    ByteBuffer owner = ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES);
    owner.putLong(queue.getMostSignificantBits()).putLong(queue.getLeastSignificantBits());
    CRC32C crc = new CRC32C();
    crc.update(owner.putInt(partition).flip());
    return (int) crc.getValue();
  }

  /** Maps the whole file. An interrupt closes the channel, and is restored afterwards. */
  private void map(long size) throws IOException {
    boolean interrupted = false;
    Arena next = Arena.ofShared();
    Arena unused = next;
    try {
      while (unused == next) {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
          file = channel.map(FileChannel.MapMode.READ_ONLY, 0, size, next);
          unused = arena;
          arena = next;
        } catch (ClosedByInterruptException e) {
          interrupted |= Thread.interrupted();
        }
      }
    } finally {
      if (unused != null) {
        unused.close();
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  Path path() {
    return path;
  }

  /** Whether Chronicle has not written the header with which each file begins. */
  boolean isUnfinished() throws IOException {
    return !has(0, Integer.BYTES) || !Wires.isReadyMetaData(header(0));
  }

  boolean hasWholeHeader() throws IOException {
    return !isUnfinished() && has(Integer.BYTES, Wires.lengthOf(header(0)));
  }

  /**
   * Reads the frame that follows in the chain of documents.
   *
   * @return its kind, {@link #NOTHING}, or {@link #BAD}; only with a good frame it moves
   */
  public int next() throws IOException {
    try {
      while (has(at, Integer.BYTES)) {
        int header = header(at);
        if (!Wires.isReady(header)) {
          return NOTHING;
        }
        long behind = behind(at, Wires.lengthOf(header));
        if (!has(at, behind - at)) {
          return BAD;
        } else if (Wires.isReadyMetaData(header)) {
          at = behind;
        } else {
          return isFrame(at) ? found(at) : BAD;
        }
      }
      return NOTHING;
    } catch (InternalError e) { // the disk cannot read this page
      return BAD;
    }
  }

  /** Moves behind the bad frame at which {@link #next} stopped; false if its length is wrong. */
  boolean passOver() throws IOException {
    long behind = behind(at, Wires.lengthOf(header(at)));
    boolean possible = has(at, behind - at);
    at = possible ? behind : at;
    return possible;
  }

  /** Whether nothing follows the bad frame at which {@link #next} stopped. */
  boolean isBadLast() throws IOException {
    long bad = at;
    boolean last = passOver() && next() == NOTHING;
    at = bad;
    return last;
  }

  /**
   * Moves to the next good frame, wherever it begins. It needs no header, index or chain of
   * documents, so it continues behind a hole.
   *
   * @return its kind, or {@link #NOTHING}
   */
  public int scan() throws IOException {
    return finds(end, file.byteSize()) ? frame.kind() : NOTHING;
  }

  /**
   * Moves to the next good frame, which may stand a few MiB behind damage. Chronicle ends a file
   * that it no longer appends to; then nothing follows.
   */
  boolean nextGood() throws IOException {
    int kind = next();
    long damaged = at;
    if (kind > NOTHING) {
      return true;
    } else if (!has(damaged, Integer.BYTES)
        || header(damaged) == Wires.END_OF_DATA
        || !finds(damaged + Integer.BYTES, upTo(damaged + NEAREST))) {
      return false;
    }
    // The frame at this place may have been finished meanwhile, before the one behind it.
    long behind = start;
    at = damaged;
    return next() > NOTHING || finds(behind, file.byteSize());
  }

  /**
   * The number of the first message, also if that is damaged.
   *
   * @return {@link #NONE} if no frame is good, or the file was deleted
   */
  static long first(Path path, int salt) throws IOException {
    try (FrameFile file = new FrameFile(path, salt)) {
      int bad = 0;
      int kind = file.next();
      while (kind == BAD && file.passOver()) {
        bad++;
        kind = file.next();
      }
      if (kind <= NOTHING) {
        bad = Math.max(1, bad);
        kind = file.scan();
      }
      long number = file.frame.number();
      return kind == NOTHING
          ? NONE
          : kind == StoredFrame.RESUME ? number : Math.max(0, number - bad);
    } catch (NoSuchFileException e) {
      return NONE;
    }
  }

  /**
   * Moves to a message. If it is damaged or missing, moves behind the last good frame before it.
   *
   * @param written where the last frame begins, if known. Not to touch pages that were never
   *     written matters on a full disk: some file systems allocate them even for reading
   * @return the number of the message that is expected there; {@link #NONE} if no good frame
   *     precedes it in this file
   */
  long seek(long number, long written) throws IOException {
    last = written;
    at = nearestBefore(number);
    long following = NONE;
    start = at;
    end = at;
    long goodStart = start;
    long goodEnd = end;
    while (nextGood()) {
      if (following() > number) {
        if (number() == number && frame.kind() == StoredFrame.MESSAGE) {
          at = start;
          return number;
        }
        break;
      }
      following = following();
      goodStart = start;
      goodEnd = end;
    }
    start = goodStart;
    end = goodEnd;
    at = end;
    return following;
  }

  /** The place of a good frame before a message and not far from it, or the start of the file. */
  private long nearestBefore(long number) throws IOException {
    grow();
    long low = 0;
    long high = upTo(file.byteSize());
    while (high - low > SHORT) {
      long middle = (low + high) >>> 1 & -Integer.BYTES;
      // Most of a file may be unwritten. If these zeros are the payload of a message, the search
      // only becomes longer: it ends frame by frame.
      long near = Math.min(high, middle + SHORT);
      boolean unwritten = behindZeros(middle, near) == near;
      if (!unwritten
          && finds(middle, Math.min(high, middle + NEAREST))
          && frame.number() < number) {
        low = start;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private long upTo(long place) {
    return Math.min(place, last < file.byteSize() ? last + 1 : file.byteSize());
  }

  /** Looks for a good frame that begins from one place up to another, and moves to it. */
  private boolean finds(long from, long to) {
    long place = from;
    while (place < to) {
      if (isFrame(place)) {
        found(place);
        return true;
      }
      place += Integer.BYTES;
      if (place + Long.BYTES <= to && file.get(LONG, place) == 0) {
        place = behindZeros(place, to) & -Integer.BYTES;
      }
    }
    return false;
  }

  /**
   * The first place with eight bytes that are not all zero, or the last place before {@code to}.
   */
  private long behindZeros(long from, long to) {
    long place = from;
    while (place + Long.BYTES <= to && file.get(LONG, place) == 0) {
      place += Long.BYTES;
    }
    return place;
  }

  private int found(long place) {
    previousEnd = end;
    start = place;
    end = behind(place, StoredFrame.HEADER_BYTES + frame.length());
    at = end;
    return frame.kind();
  }

  private boolean isFrame(long place) {
    if (place + Integer.BYTES + StoredFrame.HEADER_BYTES > file.byteSize()) {
      return false;
    }
    int header = header(place);
    int length = header - StoredFrame.HEADER_BYTES; // of a ready document the header is the length
    return length >= 0
        && length <= StoredFrame.MAX_LENGTH
        && place + Integer.BYTES + header <= file.byteSize()
        && frame.read(file, place + Integer.BYTES, length, salt);
  }

  private int header(long place) {
    return (int) HEADER.getAcquire(file, place);
  }

  private boolean has(long place, long bytes) throws IOException {
    return place + bytes <= file.byteSize() || (grow() && place + bytes <= file.byteSize());
  }

  /** Maps what the file has grown by. */
  private boolean grow() throws IOException {
    try {
      long size = Files.size(path);
      if (size <= file.byteSize()) {
        return false;
      }
      map(size);
      return true;
    } catch (NoSuchFileException e) {
      return false; // it was deleted, so it does not grow
    }
  }

  private static long behind(long place, int length) {
    return place + Integer.BYTES + ((length + 3L) & -4L);
  }

  /** Makes {@link #next} find the frame found last again. */
  void unread() {
    at = start;
  }

  /** The frame found last; every call returns the same buffer. */
  public StoredFrame frame() {
    return frame;
  }

  /** The number in the frame found last. */
  long number() {
    return frame.number();
  }

  /** The number of the message behind the frame found last. */
  private long following() {
    return frame.kind() == StoredFrame.MESSAGE ? frame.number() + 1 : frame.number();
  }

  /** Where the frame found last begins. */
  long start() {
    return start;
  }

  /** Where the frame found last ends. */
  public long end() {
    return end;
  }

  /** Where {@link #next} looks for a frame. */
  long place() {
    return at;
  }

  void moveTo(long place) {
    at = place;
  }

  /**
   * Whether something is lost between the frame found last and the one before it (or the start of
   * the file). Only Chronicle's own documents may stand there.
   */
  boolean isBehindBreak() {
    long place = previousEnd;
    while (place < start) {
      int header = header(place);
      if (!Wires.isReadyMetaData(header)) {
        return true;
      }
      place = behind(place, Wires.lengthOf(header));
    }
    return place != start;
  }

  @Override
  public void close() {
    if (arena != null) {
      arena.close();
    }
  }
}
