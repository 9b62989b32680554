/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import io.forebay.file.DurableFiles;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was recorded since each {@link HistoryFile} was saved, as numbered frames in the files
 * {@code journal} and {@code journal.old} of a directory. The changes of any number of histories
 * cost one force. Reading and appending need memory for one frame, whatever the size of the files.
 * Not thread-safe.
 */
public final class HistoryJournal implements AutoCloseable {

  private static final Logger log = LoggerFactory.getLogger(HistoryJournal.class);
  private static final int HEADER = Integer.BYTES + Long.BYTES;

  /** A frame that has so much gets no further history. */
  private static final int FULL_FRAME = 1 << 20;

  /** A longer frame is not written, and one that was read is damaged. */
  static final int LONGEST_FRAME = 32 << 20;

  /** A file of so many times the size at which it is large is not read. */
  private static final int TOO_LARGE = 4;

  private final Path directory;
  private final Path path;
  private final Path old;
  private final long large;
  private @Nullable FileChannel channel;
  private long size;
  private long last;

  /** Receives the changes of a history. */
  @FunctionalInterface
  public interface Reader {
    void changes(long frame, String history, byte[] changes);
  }

  /**
   * @param directory of the files; must exist when something is appended
   * @param large the size in bytes at which the present file {@link #isLarge}
   */
  public HistoryJournal(Path directory, long large) {
    this.directory = directory;
    this.large = large;
    path = directory.resolve("journal");
    old = directory.resolve("journal.old");
  }

  /**
   * Reads all frames in their order. A file ends at the first frame that is cut off or damaged;
   * what follows it is overwritten. A file of more than four times the large size is deleted
   * instead, which is logged. Call it before the first {@link #append}.
   */
  public void read(Reader reader) throws IOException {
    read(old, reader);
    size = read(path, reader);
  }

  private long read(Path file, Reader reader) throws IOException {
    long length;
    try {
      length = Files.size(file);
    } catch (NoSuchFileException _) {
      return 0;
    }
    if (length / TOO_LARGE > large) {
      log.warn(
          "Journal of histories too large: {} has {} bytes, limit {}; it is deleted, and charts lack what only it had",
          file,
          length,
          TOO_LARGE * large);
      Files.delete(file);
      return 0;
    }
    long end = 0;
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
      while (length - end >= HEADER + Integer.BYTES) {
        byte[] header = in.readNBytes(HEADER);
        int content = ByteBuffer.wrap(header).getInt();
        if (content < 0
            || content > LONGEST_FRAME
            || content > length - end - HEADER - Integer.BYTES) {
          return end;
        }
        byte[] bytes = in.readNBytes(content);
        if (in.readInt() != checksum(header, bytes)) {
          return end;
        }
        long number = ByteBuffer.wrap(header).getLong(Integer.BYTES);
        last = Math.max(last, number);
        frame(number, bytes, reader);
        end += HEADER + content + Integer.BYTES;
      }
    }
    return end;
  }

  private static void frame(long number, byte[] content, Reader reader) throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(content))) {
      while (in.available() > 0) {
        reader.changes(number, in.readUTF(), in.readNBytes(in.readInt()));
      }
    }
  }

  /** The number of the last frame. */
  public long last() {
    return last;
  }

  /** Numbers further frames from one after this, if it is greater than the last. */
  public void continueAfter(long frame) {
    last = Math.max(last, frame);
  }

  /** Whether the histories should be saved, so that a new file can be begun. */
  public boolean isLarge() {
    return size > large;
  }

  /**
   * Appends changes, usually in one frame. When it returns, they survive a power failure; if it
   * throws, they are lost, and the next ones take their place.
   *
   * @param changes by history; empty ones need no room
   */
  public void append(Map<String, byte[]> changes) throws IOException {
    long end = size;
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(content);
    for (Map.Entry<String, byte[]> one : changes.entrySet()) {
      if (one.getValue().length > 0) {
        out.writeUTF(one.getKey());
        out.writeInt(one.getValue().length);
        out.write(one.getValue());
      }
      if (content.size() >= FULL_FRAME) {
        end = write(content, end);
      }
    }
    if (content.size() > 0) {
      end = write(content, end);
    }
    if (end > size) {
      channel().force(false);
      size = end;
    }
  }

  /** Writes a frame, and empties the content. Returns the end of the frame. */
  private long write(ByteArrayOutputStream content, long begin) throws IOException {
    if (content.size() > LONGEST_FRAME) {
      throw new IOException(
          "frame of %d bytes not written (limit %d)".formatted(content.size(), LONGEST_FRAME));
    }
    last++;
    byte[] bytes = content.toByteArray();
    content.reset();
    ByteBuffer header = ByteBuffer.allocate(HEADER).putInt(bytes.length).putLong(last).flip();
    ByteBuffer frame = ByteBuffer.allocate(HEADER + bytes.length + Integer.BYTES);
    frame.put(header.array()).put(bytes).putInt(checksum(header.array(), bytes)).flip();
    FileChannel file = channel();
    file.truncate(begin);
    long at = begin;
    while (frame.hasRemaining()) {
      at += file.write(frame, at);
    }
    return at;
  }

  private FileChannel channel() throws IOException {
    FileChannel open = channel;
    if (open == null) {
      open = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      try {
        DurableFiles.forceDirectory(directory);
      } catch (IOException e) {
        open.close();
        throw e;
      }
      channel = open;
    }
    return open;
  }

  /**
   * Begins a new file, and deletes the one before the present one: every history was saved since
   * the present one was begun.
   */
  public void rotate() throws IOException {
    close();
    if (Files.exists(path)) {
      Files.move(path, old, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      DurableFiles.forceDirectory(directory);
    }
    size = 0;
  }

  /** Deletes both files: every history was saved after the last frame. */
  public void clear() throws IOException {
    close();
    Files.deleteIfExists(old);
    Files.deleteIfExists(path);
    size = 0;
  }

  @Override
  public void close() throws IOException {
    FileChannel open = channel;
    channel = null;
    if (open != null) {
      open.close();
    }
  }

  private static int checksum(byte[] header, byte[] content) {
    CRC32C crc = new CRC32C();
    crc.update(header);
    crc.update(content);
    return (int) crc.getValue();
  }
}
