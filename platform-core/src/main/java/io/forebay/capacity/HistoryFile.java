/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import io.forebay.file.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.zip.CRC32C;

/**
 * A history on disk. It is replaced as a whole, so that a process killed while writing leaves the
 * previous one, and has a checksum, so that a damaged one is never used. What was recorded since is
 * in the {@link HistoryJournal}. Not thread-safe for the same path.
 */
public final class HistoryFile {

  private static final long MAGIC = 0x466f726562617948L;
  private static final int VERSION = 3;

  /** The version without the number of a frame. */
  private static final int WITHOUT_FRAME = 2;

  private static final int HEADER = Long.BYTES + 2 * Integer.BYTES;
  private static final int TRAILER = Integer.BYTES;

  private final Path path;

  /**
   * A saved history.
   *
   * @param frame the number of the last frame of the journal whose content it includes; 0 for none
   */
  public record Saved(long frame, byte[] history) {}

  /**
   * @param path a file in an existing directory; {@code .new} is appended for a temporary file
   *     beside it
   */
  public HistoryFile(Path path) {
    this.path = path.toAbsolutePath();
  }

  /**
   * Replaces the history. When it returns, the new one survives a power failure; if it throws or
   * the process is killed, either the old or the new one remains.
   *
   * @throws IOException if it could not be written
   */
  public void save(Saved saved) throws IOException {
    int length = Long.BYTES + saved.history().length;
    ByteBuffer file = ByteBuffer.allocate(HEADER + length + TRAILER);
    file.putLong(MAGIC).putInt(VERSION).putInt(length).putLong(saved.frame()).put(saved.history());
    file.putInt(checksum(file.array(), file.position()));
    DurableFiles.replace(path, file.array());
  }

  /**
   * The history that was last saved, or unknown with the reason: there is none, or it is damaged.
   *
   * @throws IOException if it could not be read
   */
  public Figure<Saved> load() throws IOException {
    byte[] bytes;
    try {
      bytes = Files.readAllBytes(path);
    } catch (NoSuchFileException e) {
      return Figure.unknown("no history was saved");
    }
    if (bytes.length < HEADER + TRAILER) {
      return damaged("cut off at " + bytes.length + " bytes");
    }
    ByteBuffer frame = ByteBuffer.wrap(bytes);
    if (frame.getLong() != MAGIC) {
      return damaged("not a history");
    }
    int version = frame.getInt();
    int length = frame.getInt();
    if (length != bytes.length - HEADER - TRAILER) {
      return damaged("cut off at " + bytes.length + " bytes");
    }
    if (frame.getInt(HEADER + length) != checksum(bytes, HEADER + length)) {
      return damaged("checksum differs");
    }
    if (version != VERSION && version != WITHOUT_FRAME) {
      return damaged("format " + version + " is unknown (known: " + VERSION + ")");
    }
    long number = version == WITHOUT_FRAME ? 0 : frame.getLong();
    byte[] history = new byte[frame.remaining() - TRAILER];
    frame.get(history);
    return Figure.measured(new Saved(number, history));
  }

  private Figure<Saved> damaged(String how) {
    return Figure.unknown(
        "the history in %s cannot be used (%s); it starts over".formatted(path.getFileName(), how));
  }

  private static int checksum(byte[] bytes, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, 0, length);
    return (int) crc.getValue();
  }
}
