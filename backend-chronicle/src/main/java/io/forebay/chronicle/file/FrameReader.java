/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import java.nio.ByteBuffer;
import java.util.function.BooleanSupplier;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.wire.DocumentContext;
import net.openhft.chronicle.wire.Wire;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the frames of one partition in order and checks each one's checksum and that its number is
 * the expected one. Only this class knows how frames follow each other. For one thread.
 *
 * <p>{@link #next} is on the hot path and allocates nothing.
 */
public final class FrameReader implements AutoCloseable {

  /** Nothing more to read at the moment. */
  static final int NOTHING = 0;

  /** A frame that differs from what was written. */
  static final int BAD = -1;

  private static final Logger LOG = LoggerFactory.getLogger(FrameReader.class);
  private static final long UNREADABLE = -1;
  private static final long NO_INDEX = -1;

  private final ExcerptTailer tailer;
  private final CycleFiles files;
  private final BooleanSupplier nextFile;
  private final StoredFrame frame = new StoredFrame();
  private long expected;
  private @Nullable String damage;

  private long index = NO_INDEX;
  private long start;
  private long readIndex;
  private long readStart = UNREADABLE;

  FrameReader(ExcerptTailer tailer, CycleFiles files) {
    this.tailer = tailer;
    this.files = files;
    nextFile = () -> files.moveToNext(tailer);
    tailer.singleThreadedCheckDisabled(true);
  }

  /** The number of the next message. */
  public long expected() {
    return expected;
  }

  /** The file with the last frame in the sequence; {@link CycleFiles#NO_CYCLE} before the first. */
  int cycle() {
    return index == NO_INDEX ? CycleFiles.NO_CYCLE : files.cycleOf(index);
  }

  /** Where the document of the last frame begins in its file. */
  long start() {
    return start;
  }

  /** The number in the frame read last. */
  public long number() {
    return frame.number();
  }

  /** Everything before this message was forced to disk when the last frame was written. */
  long forced() {
    return frame.forced();
  }

  public ByteBuffer payload() {
    return frame.payload();
  }

  /**
   * Describes what was found instead of the message {@link #expected()}.
   *
   * @param kind what {@link #next} returned instead of {@link StoredFrame#MESSAGE}
   */
  public String damage(int kind) {
    String found = damage;
    return kind == NOTHING || found == null ? "a hole" : found;
  }

  /**
   * Moves to a frame, which then is the next in the sequence.
   *
   * @return false if it does not exist; then move the reader again before reading
   */
  boolean moveTo(long to, long number) {
    expected = number;
    damage = null;
    index = NO_INDEX;
    return moveTo(to);
  }

  /**
   * Moves the tailer. A tailer that did not find its index misleads the next move, so it is reset
   * to the start.
   */
  private boolean moveTo(long to) {
    if (finds(() -> tailer.moveToIndex(to))) {
      return true;
    }
    finds(() -> tailer.moveToCycle(files.cycleOf(to)));
    return false;
  }

  private boolean finds(BooleanSupplier move) {
    try {
      return move.getAsBoolean();
    } catch (RuntimeException | AssertionError | InternalError e) {
      LOG.debug("{}: the header or the index of a file is damaged", files.name(), e);
      return false;
    }
  }

  /** Undoes {@link #next}: the message just read is the next one again. */
  public void unread() {
    expected = frame.number();
    moveTo(index);
  }

  /**
   * Reads the next message.
   *
   * @return {@link StoredFrame#MESSAGE}, {@link #NOTHING} or {@link #BAD}; on BAD the reader does
   *     not move
   */
  public int next() {
    while (damage == null) {
      int kind = read();
      if (kind == StoredFrame.MESSAGE && frame.number() == expected) {
        follows(expected + 1);
        return kind;
      } else if (kind == StoredFrame.RESUME && frame.number() >= expected) {
        follows(frame.number());
      } else if (kind != NOTHING) {
        passOverOrStay(kind);
      } else if (!finds(nextFile)) {
        return NOTHING;
      }
    }
    return BAD;
  }

  private void follows(long next) {
    expected = next;
    index = readIndex;
    start = readStart;
  }

  /** Skips a bad frame if it was cut: then the next frame gives the number to resume at. */
  private void passOverOrStay(int kind) {
    String what = describe(kind);
    boolean readable = !unreadable();
    long bad = readIndex;
    if (kind == BAD && readable && readOn() == StoredFrame.RESUME && frame.number() == expected) {
      follows(expected);
      return;
    }
    damage = what;
    if (readable) {
      moveTo(bad);
    }
  }

  private String describe(int kind) {
    if (kind == BAD) {
      return unreadable() ? "a frame that cannot be read" : "a frame with a wrong checksum";
    }
    return "a frame of kind %d with number %,d".formatted(kind, frame.number());
  }

  private int readOn() {
    int kind = read();
    return kind == NOTHING && finds(nextFile) ? read() : kind;
  }

  /**
   * Whether the bad frame at which {@link #next} stopped begins at or behind a place in its file,
   * with nothing behind it.
   */
  boolean badIsLast(int cycle, long position) {
    return read() == BAD
        && readStart >= position
        && files.cycleOf(readIndex) == cycle
        && readOn() == NOTHING;
  }

  /**
   * Reads one frame of any kind.
   *
   * @return its kind; {@link #NOTHING} if there is none; {@link #BAD} if it cannot be read or its
   *     checksum is wrong
   */
  int read() {
    readStart = UNREADABLE;
    try (DocumentContext document = tailer.readingDocument()) {
      Wire wire = document.wire();
      if (!document.isPresent() || wire == null) {
        return NOTHING;
      }
      readIndex = document.index();
      Bytes<?> bytes = wire.bytes();
      long begins = bytes.readPosition() - Integer.BYTES;
      long length = bytes.readRemaining() - StoredFrame.HEADER_BYTES;
      if (length < 0 || length > StoredFrame.MAX_LENGTH) {
        readStart = begins;
        return BAD;
      }
      frame.room((int) length);
      frame.word(bytes.readLong());
      int checksum = bytes.readInt();
      bytes.read(frame.bytes(), StoredFrame.WORD_BYTES, (int) length);
      readStart = begins;
      return frame.isGood(checksum) ? frame.kind() : BAD;
    } catch (RuntimeException | AssertionError | InternalError e) {
      LOG.debug("{}: a document cannot be read", files.name(), e);
      return BAD;
    }
  }

  /** Whether the frame read last could not even be parsed as a document. */
  boolean unreadable() {
    return readStart == UNREADABLE;
  }

  /**
   * The number of documents in a file; 1 if it is so damaged that it must be read from its start.
   * The reader cannot be used afterwards.
   */
  long count(int cycle) {
    try {
      return tailer.excerptsInCycle(cycle);
    } catch (RuntimeException | AssertionError | InternalError e) {
      return 1;
    }
  }

  @Override
  public void close() {
    tailer.close();
  }
}
