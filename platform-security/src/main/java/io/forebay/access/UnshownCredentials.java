/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * Marks credentials that were made and may not have been printed yet, in the data directory. A mark
 * contains a hash, which grants no access. If the mark of a credential still exists at a start, the
 * credential was lost with its process and is replaced. Thread-safe.
 */
public final class UnshownCredentials {

  private final Path file;
  private final Set<String> former;

  public UnshownCredentials(Path directory) {
    this.file = directory.resolve("unshown-credentials");
    this.former = read();
  }

  /**
   * Marks a credential before it is stored.
   *
   * @param stored the stored form of the credential
   */
  public synchronized void mark(String stored) {
    Set<String> all = read();
    all.add(TokenText.hash(stored));
    try {
      PrivateFile.write(file, String.join("\n", all).getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Whether an earlier process stored the credential and may not have printed it. */
  public boolean areOfFormer(String stored) {
    return former.contains(TokenText.hash(stored));
  }

  public synchronized void clear() {
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
