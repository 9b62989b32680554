/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import static io.forebay.chronicle.file.FrameFile.BAD;
import static io.forebay.chronicle.file.FrameFile.NOTHING;
import static io.forebay.chronicle.file.StoredFrame.MESSAGE;
import static io.forebay.chronicle.file.StoredFrame.RESUME;

import io.forebay.queue.QueueFailed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Reads the frames of one partition in order and checks each one's checksum and that its number is
 * the expected one. It only reads the files, so any process may read any queue. The name of a file
 * sorts by the time at which it was begun. For one thread at a time.
 *
 * <p>{@link #next} is on the hot path and allocates nothing.
 */
public final class FrameReader implements AutoCloseable {

  /** So many messages are passed over without a search. */
  private static final int NEAR = 1_000;

  private final String name;
  private final Path directory;
  private final int salt;
  private final ToLongFunction<Path> written;
  private final StoredFrame frame = new StoredFrame();
  private final Map<Path, Long> firsts = new HashMap<>();
  private @Nullable FrameFile file;
  private long expected;
  private String damage = "";

  /**
   * @param name names the partition in error messages
   * @param salt see {@link FrameFile#salt}
   */
  public FrameReader(String name, Path directory, int salt) {
    this(name, directory, salt, _ -> Long.MAX_VALUE);
  }

  /**
   * @param written where the last frame of a file begins; {@link Long#MAX_VALUE} if unknown
   */
  FrameReader(String name, Path directory, int salt, ToLongFunction<Path> written) {
    this.name = name;
    this.directory = directory;
    this.salt = salt;
    this.written = written;
  }

  /** The files of a partition, oldest first. */
  public static List<Path> files(Path directory) throws IOException {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, "*.cq4")) {
      found.forEach(files::add);
    } catch (NoSuchFileException e) {
      return List.of(); // nothing was appended yet
    }
    files.sort(null);
    return files;
  }

  /** The number of the next message. */
  public long expected() {
    return expected;
  }

  /** The number in the frame read last. */
  public long number() {
    return frame.number();
  }

  public ByteBuffer payload() {
    return frame.payload();
  }

  /** Everything before this message was forced to disk when the last frame was written. */
  long forced() {
    return frame.forced();
  }

  /** The file that is read; null if there is none. */
  @Nullable Path path() {
    return file == null ? null : file.path();
  }

  /** Where the last good frame begins in its file. */
  long start() {
    return file == null ? 0 : file.start();
  }

  /** Describes what {@link #next} found last instead of the message {@link #expected()}. */
  public String damage() {
    return damage;
  }

  /** The number of the first message that is kept, or {@code none}. */
  public long first(long none) {
    try {
      for (Path oldest : files(directory)) {
        long first = first(oldest);
        if (first != FrameFile.NONE) {
          return first;
        }
      }
      return none;
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** The number that the next message will have, as far as the files show it. */
  public long end() {
    try {
      for (Path newest : files(directory).reversed()) {
        try (FrameFile last = open(newest)) {
          long end = last == null ? FrameFile.NONE : last.seek(Long.MAX_VALUE, Long.MAX_VALUE);
          if (end != FrameFile.NONE) {
            return end;
          }
        }
      }
      return 0;
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** The first number of a file, which does not change once it is known. */
  private long first(Path path) throws IOException {
    Long known = firsts.get(path);
    long first = known == null ? FrameFile.first(path, salt) : known;
    if (first != FrameFile.NONE) {
      firsts.put(path, first);
    }
    return first;
  }

  /** Moves to the first file that exists when {@link #next} is called. */
  public void toStart() {
    close();
    expected = 0;
  }

  /** Moves to the first message at or after a number, but not past a damaged one. */
  public void seek(long number) {
    while (file != null && expected < number && number - expected <= NEAR && next() == MESSAGE) {}
    if (file != null && expected == number) {
      return;
    }
    try {
      List<Path> paths = files(directory);
      for (Path path : paths.reversed()) {
        long first = first(path);
        FrameFile opened = first == FrameFile.NONE || first > number ? null : reopen(path);
        if (opened != null) {
          expected = Math.max(first, opened.seek(number, written.applyAsLong(path)));
          return;
        }
      }
      toStart(); // no message before this one can be read
      for (Path path : paths) {
        if (file == null && reopen(path) != null) {
          expected = Math.max(0, first(path));
        }
      }
    } catch (IOException | InternalError e) { // the disk cannot read a page
      throw unreadable(e);
    }
  }

  /** Opens a file to read, unless it is open already; null if it was deleted. */
  private @Nullable FrameFile reopen(Path path) throws IOException {
    FrameFile from = file;
    if (from != null && from.path().equals(path)) {
      return from;
    }
    close();
    file = open(path);
    return file;
  }

  private @Nullable FrameFile open(Path path) throws IOException {
    try {
      return new FrameFile(path, salt, frame);
    } catch (NoSuchFileException e) {
      return null; // retention deleted it
    }
  }

  /** Undoes {@link #next}: the message just read is the next one again. */
  public void unread() {
    if (file != null) {
      expected = frame.number();
      file.unread();
    }
  }

  /**
   * Reads the next message.
   *
   * @return {@link StoredFrame#MESSAGE}; {@link FrameFile#NOTHING} at the end or at a hole; {@link
   *     FrameFile#BAD} at damage, where it stays
   */
  public int next() {
    try {
      FrameFile from = file;
      int kind = from == null ? NOTHING : from.next();
      if (kind == MESSAGE && frame.number() == expected) {
        expected++;
        return kind;
      }
      return nextAround(kind);
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** Handles everything other than the expected message: control frames, ends of files, damage. */
  private int nextAround(int first) throws IOException {
    int kind = first;
    while (kind != MESSAGE || frame.number() != expected) {
      FrameFile from = file;
      if (kind == NOTHING) {
        FrameFile newer = newer();
        if (newer == null) {
          damage = "a hole";
          return NOTHING;
        }
        // What was appended to this file last may have come meanwhile.
        kind = from == null ? NOTHING : from.next();
        if (kind == NOTHING) {
          kind = newer.next();
          if (kind == MESSAGE && frame.number() != expected) {
            newer.close();
            return damaged(kind);
          }
          leave(newer);
        } else {
          newer.close();
        }
      } else if (from != null && kind == RESUME && frame.number() >= expected) {
        expected = frame.number();
        kind = from.next();
      } else if (from != null && kind == BAD && isCut(from)) {
        kind = RESUME;
      } else {
        if (from != null && kind != BAD) {
          from.unread();
        }
        return damaged(kind);
      }
    }
    expected++;
    return MESSAGE;
  }

  private int damaged(int kind) {
    damage =
        kind == BAD
            ? "a frame with a wrong checksum"
            : "a frame of kind %d with number %,d".formatted(kind, frame.number());
    return BAD;
  }

  /** Whether a bad frame was cut: then the next frame gives the number to resume at. */
  private boolean isCut(FrameFile from) throws IOException {
    long bad = from.place();
    if (!from.passOver()) {
      return false;
    }
    int kind = from.next();
    FrameFile newer = kind == NOTHING ? newer() : null;
    if (newer != null) {
      kind = newer.next();
    }
    if (kind != RESUME || frame.number() != expected) {
      from.moveTo(bad);
      if (newer != null) {
        newer.close();
      }
      return false;
    }
    if (newer != null) {
      leave(newer);
    }
    return true;
  }

  /**
   * Whether the bad frame at which {@link #next} stopped is the last thing written, at or behind a
   * place in its file.
   */
  boolean isBadLast(long place) throws IOException {
    if (file == null || file.place() < place || !file.isBadLast()) {
      return false;
    }
    try (FrameFile newer = newer()) {
      return newer == null;
    }
  }

  /**
   * Moves past damage to the next good frame, for readers that want what is left.
   *
   * @return false if there is none
   */
  public boolean skipDamage() {
    try {
      FrameFile from = file;
      while (true) {
        while (from != null && from.nextGood()) {
          if (frame.number() >= expected) {
            expected = frame.number();
            from.unread();
            return true;
          }
        }
        from = newer();
        if (from == null) {
          return false;
        }
        leave(from);
      }
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** Opens the next file in which something is written; null if there is none. */
  private @Nullable FrameFile newer() throws IOException {
    FrameFile from = file;
    for (Path path : files(directory)) {
      FrameFile opened = from == null || path.compareTo(from.path()) > 0 ? open(path) : null;
      if (opened != null && opened.next() != NOTHING) {
        opened.moveTo(0);
        return opened;
      } else if (opened != null) {
        opened.close();
      }
    }
    return null;
  }

  private void leave(FrameFile newer) {
    close();
    file = newer;
  }

  private QueueFailed unreadable(Throwable e) {
    return new QueueFailed("%s in %s cannot be read (%s)".formatted(name, directory, e), e);
  }

  @Override
  public void close() {
    if (file != null) {
      file.close();
      file = null;
    }
  }
}
