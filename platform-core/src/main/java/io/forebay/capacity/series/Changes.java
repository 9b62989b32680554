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
  private final Change first;

  /** Writes one change. */
  @FunctionalInterface
  public interface Change {
    void write(DataOutputStream out) throws IOException;
  }

  /** Each change can be understood without those before it. */
  public Changes() {
    this(out -> {});
  }

  /**
   * @param first precedes the first change after others were taken or discarded: what is needed to
   *     understand it without them
   */
  public Changes(Change first) {
    this.first = first;
  }

  /** Writes what precedes changes again, because it is different now. */
  public void begin() {
    makeRoom();
    write(first);
  }

  public void add(Change change) {
    makeRoom();
    if (bytes.size() == 0) {
      write(first);
    }
    write(change);
  }

  private void makeRoom() {
    if (bytes.size() >= MOST) {
      bytes.reset();
    }
  }

  private void write(Change change) {
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
