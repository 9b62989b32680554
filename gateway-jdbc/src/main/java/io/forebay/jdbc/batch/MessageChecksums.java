/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.batch;

import io.forebay.service.progress.Resumable;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The positions of the messages of a batch, with their checksums. Not thread-safe. */
final class MessageChecksums {

  private long[] positions = new long[64];
  private long[] checksums = new long[64];
  private int size;

  void clear() {
    size = 0;
  }

  /**
   * @param position above that of the previous message
   */
  void add(long position, long checksum) {
    if (size == positions.length) {
      positions = Arrays.copyOf(positions, 2 * size);
      checksums = Arrays.copyOf(checksums, 2 * size);
    }
    positions[size] = position;
    checksums[size++] = checksum;
  }

  /** The last message before a position; null if the batch has none there. */
  Resumable.@Nullable LastPerformed lastBefore(long position) {
    int found = Arrays.binarySearch(positions, 0, size, position);
    int last = (found >= 0 ? found : -found - 1) - 1;
    return last < 0 ? null : new Resumable.LastPerformed(positions[last], checksums[last]);
  }
}
