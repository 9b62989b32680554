/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import io.forebay.operations.StartRefused;
import io.forebay.system.StoredToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A copy of the hashes of all tokens in the data directory, for a start while the system database
 * is unavailable. Only the operating-system user of this process can read it.
 */
public final class TokenFile {

  private final Path file;
  private final JsonMapper json;

  public TokenFile(Path directory, JsonMapper json) {
    this.file = directory.resolve("tokens.json");
    this.json = json;
  }

  /**
   * Reads the tokens written last; none if there is no file.
   *
   * @throws StartRefused if users other than the owner can access the file, or it is damaged
   */
  List<StoredToken> read() {
    if (Files.notExists(file)) {
      return List.of();
    }
    try {
      if (!PrivateFile.MODE.containsAll(Files.getPosixFilePermissions(file))) {
        throw new StartRefused(
            "The file of tokens is accessible to others than its owner: "
                + file
                + " (it identifies callers while the database is unavailable); set its mode to 0600, or"
                + " delete it, and start again");
      }
      return List.of(json.readValue(Files.readAllBytes(file), StoredToken[].class));
    } catch (JacksonException _) {
      throw new StartRefused(
          file + " is damaged; delete it and start again: it is recreated from the database");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** When the tokens in the file were read from the database; long ago if there is no file. */
  Instant readAt() {
    return Instant.ofEpochMilli(file.toFile().lastModified());
  }

  /** Replaces the file; after a kill it is either the old one or the new one. */
  void write(List<StoredToken> tokens) {
    PrivateFile.write(file, json.writeValueAsBytes(tokens));
  }
}
