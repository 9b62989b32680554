/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import io.forebay.jdbc.system.StoredToken;
import io.forebay.operations.StartRefused;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A copy of the hashes of all tokens in the data directory, for a start while the system database
 * does not answer. Only this user of the operating system can read it.
 */
final class TokenFile {

  private static final Set<PosixFilePermission> PRIVATE =
      EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
  private static final Set<PosixFilePermission> PRIVATE_DIRECTORY =
      PosixFilePermissions.fromString("rwx------");

  private final Path file;
  private final JsonMapper json;

  TokenFile(Path directory, JsonMapper json) {
    this.file = directory.resolve("tokens.json");
    this.json = json;
  }

  /**
   * What was written last; nothing if there is no file.
   *
   * @throws StartRefused if others than the owner may use the file, or it is damaged
   */
  List<StoredToken> read() {
    if (Files.notExists(file)) {
      return List.of();
    }
    try {
      if (!PRIVATE.containsAll(Files.getPosixFilePermissions(file))) {
        throw new StartRefused(
            "Others than the owner may use "
                + file
                + ", by which callers are known while the database is away; set its mode to 0600, or"
                + " delete it, and start again");
      }
      return List.of(json.readValue(Files.readAllBytes(file), StoredToken[].class));
    } catch (JacksonException _) {
      throw new StartRefused(
          file + " is damaged; delete it and start again: it is made anew from the database");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Replaces the file; a kill leaves the old one or the new one. */
  void write(List<StoredToken> tokens) {
    Path unfinished = file.resolveSibling(file.getFileName() + ".new");
    try {
      Files.createDirectories(
          file.getParent(), PosixFilePermissions.asFileAttribute(PRIVATE_DIRECTORY));
      Files.deleteIfExists(unfinished);
      try (FileChannel channel =
          FileChannel.open(
              unfinished,
              Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
              PosixFilePermissions.asFileAttribute(PRIVATE))) {
        ByteBuffer bytes = ByteBuffer.wrap(json.writeValueAsBytes(tokens));
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
        channel.force(true);
      }
      Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
