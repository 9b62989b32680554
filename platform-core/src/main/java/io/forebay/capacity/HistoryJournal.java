/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

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
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * What was recorded since each {@link HistoryFile} was saved, as numbered frames in the files
 * {@code journal} and {@code journal.old} of a directory. One frame has the changes of all
 * histories, so that any number of them costs one force. Not thread-safe.
 */
public final class HistoryJournal implements AutoCloseable {

  private static final int HEADER = Integer.BYTES + Long.BYTES;

  private final Path path;
  private final Path old;
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
   */
  public HistoryJournal(Path directory) {
    path = directory.resolve("journal");
    old = directory.resolve("journal.old");
  }

  /**
   * Reads all frames in their order. A file ends at the first frame that is cut off or damaged;
   * what follows it is overwritten. Call it before the first {@link #append}.
   */
  public void read(Reader reader) throws IOException {
    read(old, reader);
    size = read(path, reader);
  }

  private long read(Path file, Reader reader) throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(file);
    } catch (NoSuchFileException _) {
      return 0;
    }
    ByteBuffer in = ByteBuffer.wrap(bytes);
    while (in.remaining() >= HEADER + Integer.BYTES) {
      int begin = in.position();
      int length = in.getInt();
      if (length < 0 || length > in.remaining() - Long.BYTES - Integer.BYTES) {
        return begin;
      }
      int end = begin + HEADER + length;
      if (in.getInt(end) != checksum(bytes, begin, end)) {
        return begin;
      }
      long number = in.getLong();
      last = Math.max(last, number);
      frame(number, bytes, begin + HEADER, length, reader);
      in.position(end + Integer.BYTES);
    }
    return in.position();
  }

  private static void frame(long number, byte[] bytes, int from, int length, Reader reader)
      throws IOException {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes, from, length))) {
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

  /**
   * Appends a frame. When it returns, the frame survives a power failure; if it throws, the frame
   * is lost, and the next one takes its place.
   *
   * @param changes by history; empty ones need no room
   */
  public void append(Map<String, byte[]> changes) throws IOException {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(content)) {
      for (Map.Entry<String, byte[]> one : new LinkedHashMap<>(changes).entrySet()) {
        if (one.getValue().length > 0) {
          out.writeUTF(one.getKey());
          out.writeInt(one.getValue().length);
          out.write(one.getValue());
        }
      }
    }
    last++;
    ByteBuffer frame = ByteBuffer.allocate(HEADER + content.size() + Integer.BYTES);
    frame.putInt(content.size()).putLong(last).put(content.toByteArray());
    frame.putInt(checksum(frame.array(), 0, frame.position())).flip();
    FileChannel file = channel();
    file.truncate(size);
    long at = size;
    while (frame.hasRemaining()) {
      at += file.write(frame, at);
    }
    file.force(false);
    size = at;
  }

  private FileChannel channel() throws IOException {
    FileChannel open = channel;
    if (open == null) {
      open = FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
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
    }
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

  private static int checksum(byte[] bytes, int from, int to) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, from, to - from);
    return (int) crc.getValue();
  }
}
