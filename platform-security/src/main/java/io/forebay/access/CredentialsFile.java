/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * New credentials for an operator who does not see the console, in a file of mode 0600 in the data
 * directory. A shell can read it: {@code . FILE} sets {@code TOKEN} and {@code PASSWORD}. It stays
 * until the operator deletes it.
 */
public final class CredentialsFile {

  static final String TOKEN = "TOKEN";
  static final String PASSWORD = "PASSWORD";

  private static final String NAME = "admin-credentials";

  private final Path file;

  public CredentialsFile(Path directory) {
    this.file = directory.resolve(NAME);
  }

  public Path path() {
    return file;
  }

  /**
   * Sets one of the values; the others stay. The file is on disk when this returns, and is either
   * the old or the new one after a crash.
   *
   * @param value contains only letters, digits, hyphens and underscores
   * @throws UncheckedIOException if it cannot be written
   */
  synchronized void set(String name, String value) {
    try {
      List<String> lines = new ArrayList<>(lines());
      lines.removeIf(line -> line.startsWith(name + "="));
      lines.add(name + "=" + value);
      PrivateFile.write(
          file, (String.join("\n", lines) + "\n").getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<String> lines() throws IOException {
    try {
      return Files.readAllLines(file, StandardCharsets.US_ASCII);
    } catch (NoSuchFileException _) {
      return List.of();
    }
  }
}
