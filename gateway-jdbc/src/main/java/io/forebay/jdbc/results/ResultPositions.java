/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.results;

import io.forebay.queue.MessageQueue;
import java.util.Arrays;
import java.util.regex.Pattern;

/**
 * Where a reader of results continues in an out-queue: a position of each partition, before which
 * it has all results. As text, {@code 5f0c9a31-17.204.0.96}: the queue's identity, shortened, and
 * the positions.
 */
final class ResultPositions {

  private static final Pattern TEXT = Pattern.compile("[0-9a-f]{8}-[0-9]{1,18}(\\.[0-9]{1,18})*");

  private ResultPositions() {}

  static String text(String mark, long[] positions) {
    StringBuilder text = new StringBuilder(mark);
    for (int partition = 0; partition < positions.length; partition++) {
      text.append(partition == 0 ? '-' : '.').append(positions[partition]);
    }
    return text.toString();
  }

  /**
   * @throws IllegalArgumentException if it is no such text
   * @throws ResultsExpired if it is of another queue
   */
  static long[] of(MessageQueue queue, String text) {
    if (!TEXT.matcher(text).matches()) {
      throw new IllegalArgumentException("not positions of results");
    }
    long[] positions =
        Arrays.stream(text.substring(text.indexOf('-') + 1).split("\\."))
            .mapToLong(Long::parseLong)
            .toArray();
    if (positions.length != queue.partitions() || !text.startsWith(mark(queue))) {
      throw new ResultsExpired("The queue of the results was replaced");
    }
    return positions;
  }

  /** Enough of the identity to notice that a queue was replaced. */
  static String mark(MessageQueue queue) {
    return "%08x".formatted(queue.identity().hashCode());
  }
}
