/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import io.forebay.queue.QueueStats;
import io.forebay.queue.stored.StoredQueue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What {@code ls} shows of a queue. */
public final class Listing {

  private Listing() {}

  /**
   * @param contiguous whether each position is a message
   */
  public static Map<String, Object> of(
      StoredQueue queue, List<Integer> partitions, boolean contiguous) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("queue", queue.name());
    fields.put("partitions", partitions(queue, partitions, contiguous));
    return fields;
  }

  static List<Map<String, Object>> partitions(
      StoredQueue queue, List<Integer> partitions, boolean contiguous) {
    List<Map<String, Object>> listed = new ArrayList<>();
    for (int partition : partitions) {
      listed.add(of(partition, queue.stats(partition), contiguous));
    }
    return listed;
  }

  private static Map<String, Object> of(int partition, QueueStats stats, boolean contiguous) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("partition", partition);
    stats.first().ifPresent(first -> fields.put("first", first));
    stats.end().ifPresent(end -> fields.put("next", end));
    if (stats.first().isPresent() && stats.end().isPresent()) {
      fields.put(
          contiguous ? "messages" : "messagesAtMost",
          stats.end().getAsLong() - stats.first().getAsLong());
    }
    stats.bytes().ifPresent(bytes -> fields.put("bytes", bytes));
    if (!stats.passed().isEmpty()) {
      fields.put("consumers", stats.passed());
    }
    return fields;
  }
}
