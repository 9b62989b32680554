/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Marks what was made and may not have been printed yet, in the data directory: it holds hashes and
 * nothing that opens anything. A credential whose mark is still there at a start was lost with the
 * process that made it, and is replaced. Thread-safe.
 */
final class UnshownCredentials {

  private final Path file;
  private final Set<String> former;

  UnshownCredentials(Path directory) {
    this.file = directory.resolve("unshown-credentials");
    this.former = read();
  }

  /**
   * Before the credential is stored.
   *
   * @param stored what is stored of it
   */
  synchronized void mark(String stored) {
    Set<String> all = read();
    all.add(TokenText.hash(stored));
    try {
      PrivateFile.write(file, String.join("\n", all).getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether a former process stored it and may not have printed it. */
  boolean areOfFormer(String stored) {
    return former.contains(TokenText.hash(stored));
  }

  synchronized void clear() {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Set<String> read() {
    try {
      return Files.exists(file)
          ? new LinkedHashSet<>(Files.readAllLines(file, StandardCharsets.US_ASCII))
          : new LinkedHashSet<>();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
