/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.series;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/**
 * What was recorded and is not on disk yet. If nobody takes it, because the disk hangs, it is
 * discarded whenever it reaches 1 MiB, and a kill leaves a gap. Not thread-safe.
 */
public final class Changes {

  private static final int MOST = 1 << 20;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final DataOutputStream out = new DataOutputStream(bytes);

  /** Writes one change. */
  @FunctionalInterface
  public interface Change {
    void write(DataOutputStream out) throws IOException;
  }

  public void add(Change change) {
    if (bytes.size() >= MOST) {
      bytes.reset();
    }
    try {
      change.write(out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns and removes all changes. */
  public byte[] take() {
    byte[] taken = bytes.toByteArray();
    bytes.reset();
    return taken;
  }
}
