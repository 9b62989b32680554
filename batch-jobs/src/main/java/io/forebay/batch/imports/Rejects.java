/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.imports;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forebay.file.DurableFiles;
import io.forebay.text.Csv;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The CSV file of rejected records: line, reason, and the original record. It is created with the
 * first one, and only the user of this process can read it. A record that a spreadsheet would take
 * for a formula has an apostrophe in front. For one thread.
 */
final class Rejects implements AutoCloseable {

  private static final byte[] HEADER = "line,reason,record\r\n".getBytes(UTF_8);
  private static final int BLOCK = 1 << 16;

  private static final Set<PosixFilePermission> FILE = PosixFilePermissions.fromString("rw-------");
  private static final Set<PosixFilePermission> DIRECTORY =
      PosixFilePermissions.fromString("rwx------");

  private final ReadAt source;
  private final Path path;
  private final Path directory;
  private final int maxRecord;
  private final ByteArrayOutputStream waiting = new ByteArrayOutputStream();
  private @Nullable FileChannel file;
  private long length;
  private boolean written;

  /**
   * @param source the file with the records
   * @param length the valid length of the file; what follows belongs to an uncommitted chunk and is
   *     truncated
   * @param maxRecord how much of a record is stored
   */
  Rejects(ReadAt source, Path path, long length, int maxRecord) throws IOException {
    this.source = source;
    this.path = path;
    this.directory = Objects.requireNonNull(path.toAbsolutePath().getParent());
    this.length = length;
    this.maxRecord = maxRecord;
    if (Files.isSymbolicLink(path)) {
      throw new ImportRefused(
          "the file of rejects is a symbolic link: %s; delete the link, and start a new import"
              .formatted(path));
    }
    if (Files.exists(path)) {
      file = FileChannel.open(path, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
      if (file.size() < length) {
        file.close();
        throw new ImportRefused(
            "the file of rejects was changed (%,d bytes, %,d were written): %s; restore it, or start a new import"
                .formatted(Files.size(path), length, path));
      }
      file.truncate(length);
    } else if (length > 0) {
      throw new ImportRefused(
          "the file of rejects is missing: %s; restore it, or start a new import".formatted(path));
    }
  }

  void add(ImportRecord record, String reason) throws IOException {
    if (length == 0 && waiting.size() == 0) {
      waiting.writeBytes(HEADER);
    }
    waiting.writeBytes((record.line() + ",\"").getBytes(UTF_8));
    byte[] words = reason.getBytes(UTF_8);
    quoted(words, words.length);
    waiting.writeBytes("\",\"".getBytes(UTF_8));
    byte[] raw = raw(record);
    int end = raw.length;
    while (end > 0 && (raw[end - 1] == '\n' || raw[end - 1] == '\r')) {
      end--;
    }
    if (end > 0 && Csv.FORMULA.indexOf(raw[0]) >= 0) {
      waiting.write('\'');
    }
    quoted(raw, end);
    waiting.writeBytes("\"\r\n".getBytes(UTF_8));
    if (waiting.size() > BLOCK) {
      write();
    }
  }

  private byte[] raw(ImportRecord record) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(maxRecord, record.to() - record.from()));
    FileWindow.read(source, record.from(), bytes);
    return bytes.array();
  }

  private void quoted(byte[] bytes, int end) {
    for (int i = 0; i < end; i++) {
      if (bytes[i] == '"') {
        waiting.write('"');
      }
      waiting.write(bytes[i]);
    }
  }

  private void write() throws IOException {
    FileChannel target = file;
    if (target == null) {
      DurableFiles.createDirectories(directory, PosixFilePermissions.asFileAttribute(DIRECTORY));
      target =
          FileChannel.open(
              path,
              Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              PosixFilePermissions.asFileAttribute(FILE));
      file = target;
      DurableFiles.forceDirectory(directory); // the stored position includes this file's length
    }
    ByteBuffer bytes = ByteBuffer.wrap(waiting.toByteArray());
    while (bytes.hasRemaining()) {
      length += target.write(bytes, length);
    }
    waiting.reset();
    written = true;
  }

  /**
   * Forces what was added to disk.
   *
   * @return the length of the file
   */
  long force() throws IOException {
    if (waiting.size() > 0) {
      write();
    }
    if (written && file != null) {
      file.force(false);
      written = false;
    }
    return length;
  }

  @Override
  public void close() throws IOException {
    if (file != null) {
      file.close();
    }
  }
}
