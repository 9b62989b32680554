/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.springframework.util.FileSystemUtils;

/**
 * The directory of a probe in the data directory of the service. Its name is the id of the probe.
 * It is locked as long as the probe runs, and stays if the probe was killed.
 */
final class ProbeDirectory implements AutoCloseable {

  private static final String PREFIX = "probe-";
  private static final String LOCK = "probe.lock";
  private static final int ID_DIGITS = 6;
  private static final int NAME_BYTES = 256;

  private final Path path;
  private final FileChannel lock;
  private boolean dataIsNew;

  private ProbeDirectory(Path path, FileChannel lock) {
    this.path = path;
    this.lock = lock;
  }

  /** Creates one, and the data directory if it does not exist. */
  static ProbeDirectory create(Path data) {
    String digits = Long.toString(new SplittableRandom().nextLong(1L << 62), 36);
    Path path = data.resolve(PREFIX + digits.substring(0, ID_DIGITS));
    boolean posix = FileSystems.getDefault().supportedFileAttributeViews().contains("posix");
    FileAttribute<?>[] own =
        posix
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
            }
            : new FileAttribute<?>[0];
    try {
      boolean dataIsNew = !Files.exists(data);
      Files.createDirectories(data, own);
      Files.createDirectory(path, own);
      ProbeDirectory created = lock(path).orElseThrow();
      created.dataIsNew = dataIsNew;
      return created;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "directory %s cannot be created (%s); run this as the user of the service"
              .formatted(path, e),
          e);
    }
  }

  /** Those that killed probes left; they are locked now. */
  List<ProbeDirectory> left() {
    List<ProbeDirectory> left = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(path.getParent(), PREFIX + "*")) {
      for (Path other : all) {
        if (!other.equals(path)) {
          lock(other).ifPresent(left::add);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException("%s cannot be read".formatted(path.getParent()), e);
    }
    return left;
  }

  /** Empty if a probe that runs has it. */
  private static Optional<ProbeDirectory> lock(Path path) throws IOException {
    FileChannel channel =
        FileChannel.open(
            path.resolve(LOCK),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    if (channel.tryLock() == null) {
      channel.close();
      return Optional.empty();
    }
    return Optional.of(new ProbeDirectory(path, channel));
  }

  Path path() {
    return path;
  }

  String id() {
    return path.getFileName().toString();
  }

  /** Notes the gateway whose database has a table of this probe. */
  void note(String gateway) throws IOException {
    lock.write(ByteBuffer.wrap(gateway.getBytes(StandardCharsets.UTF_8)), 0);
    lock.force(true);
  }

  /** The noted gateway; empty if there is none. */
  String gateway() throws IOException {
    ByteBuffer name = ByteBuffer.allocate(NAME_BYTES);
    lock.read(name, 0);
    return new String(name.array(), 0, name.position(), StandardCharsets.UTF_8);
  }

  /** Deletes it, and the data directory if the probe created it and nobody has used it. */
  void delete() throws IOException {
    lock.close();
    FileSystemUtils.deleteRecursively(path);
    if (dataIsNew) {
      try {
        Files.deleteIfExists(path.getParent());
      } catch (DirectoryNotEmptyException _) {
        // a service has started
      }
    }
  }

  /** Leaves it to a later probe. */
  @Override
  public void close() throws IOException {
    lock.close();
  }
}
