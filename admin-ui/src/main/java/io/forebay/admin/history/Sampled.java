/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.history;

import java.io.IOException;
import java.time.Instant;

/**
 * A source whose history is kept. One thread samples all sources once a second; others may read
 * them at the same time.
 */
public interface Sampled {

  /** The unique name of its history in this process; letters, digits, {@code -} and {@code .}. */
  String history();

  /** Takes a sample. A figure that cannot be read leaves a gap and throws nothing. */
  void sample(Instant now);

  /** The whole history. What was recorded until now is not in the next {@link #changes()}. */
  byte[] toBytes();

  /** What was recorded since the last call of this method or of {@link #toBytes()}. */
  byte[] changes();

  /**
   * Restores the result of {@link #toBytes()} after a restart. Called before the first sample.
   *
   * @throws IOException if the bytes are not a history; the history is then empty
   */
  void restore(byte[] history) throws IOException;

  /**
   * Records the result of {@link #changes()} again after {@link #restore}, in the order in which
   * they were taken. Called before the first sample.
   *
   * @throws IOException if the bytes are not changes; those before the error are recorded
   */
  void apply(byte[] changes) throws IOException;
}
