/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The data directories of the hosts of a history; they exist from their first use on. */
final class Hosts {

  private @Nullable Path root;

  /** The data directory of a host. */
  Path directory(int host) {
    try {
      Path known = root == null ? Files.createTempDirectory("simulation") : root;
      root = known;
      return known.resolve("host" + host);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void delete() {
    if (root == null) {
      return;
    }
    try (Stream<Path> files = Files.walk(root)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
