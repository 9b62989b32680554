/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.ring;

import java.nio.file.Path;

/**
 * The rings of a backend.
 *
 * @param directory a file system in memory; it has to outlive the process
 * @param bytes the size of each ring; a power of two, at least 64 KiB
 */
public record RingSettings(Path directory, long bytes) {

  private static final long LEAST = 64 << 10;
  private static final long LARGEST = 1L << 30;

  public RingSettings {
    if (bytes < LEAST || bytes > LARGEST || Long.bitCount(bytes) != 1) {
      throw new IllegalArgumentException(
          "ring of %d bytes (a power of two from %d to %d)".formatted(bytes, LEAST, LARGEST));
    }
  }
}
