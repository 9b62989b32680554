/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import io.forebay.queue.QueueStats;
import io.forebay.queue.stored.StoredQueue;
import java.util.LinkedHashMap;
import java.util.Map;

/** What {@code ls} shows of a partition. */
public final class Listing {

  private Listing() {}

  /**
   * @param contiguous whether each position is a message
   */
  public static Map<String, Object> of(StoredQueue queue, int partition, boolean contiguous) {
    QueueStats stats = queue.stats(partition);
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("partition", partition);
    stats.first().ifPresent(first -> fields.put("first", first));
    stats.end().ifPresent(end -> fields.put("next", end));
    if (stats.first().isPresent() && stats.end().isPresent()) {
      long positions = stats.end().getAsLong() - stats.first().getAsLong();
      fields.put(contiguous ? "messages" : "messagesAtMost", positions);
    }
    stats.bytes().ifPresent(bytes -> fields.put("bytes", bytes));
    if (!stats.passed().isEmpty()) {
      fields.put("consumers", stats.passed());
    }
    return fields;
  }
}
