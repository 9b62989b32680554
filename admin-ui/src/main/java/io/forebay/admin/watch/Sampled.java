/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import java.io.IOException;
import java.time.Instant;

/**
 * Something whose history is kept. One thread samples all of them, once a second; others may read
 * them meanwhile.
 */
public interface Sampled {

  /** Names its history among those of the process; letters, digits, {@code -} and {@code .}. */
  String history();

  /** Takes a sample. What cannot be read is a gap; nothing is thrown for it. */
  void sample(Instant now);

  /** All that is kept. */
  byte[] toBytes();

  /**
   * Takes over what {@link #toBytes()} gave before a restart. Before the first sample.
   *
   * @throws IOException if these are not such bytes; it goes on with nothing then
   */
  void restore(byte[] history) throws IOException;
}
