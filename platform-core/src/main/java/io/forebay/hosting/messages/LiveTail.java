/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting.messages;

import io.forebay.hosting.messages.Look.Found;
import io.forebay.operations.messages.Messages;
import io.forebay.queue.PositionOutOfRange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The newest messages of a queue, round by round. If more arrive than a round may look at, it skips
 * the older ones, so that it never falls behind. For one thread.
 */
final class LiveTail {

  /** How many messages a round looks at to find those selected, in all partitions together. */
  static final long MOST_LOOKED_AT = 5_000;

  private static final Duration LONGEST = Duration.ofMillis(200);

  private final List<PartitionScan> scans;
  private final List<Integer> partitions;
  private final int limit;
  private final long most;
  private final Duration longest;
  private final Map<Integer, Long> seen = new TreeMap<>();

  /**
   * @param scans one for each of the partitions
   * @param seen where to begin in some partitions; the others begin with the newest messages
   * @param filtered whether only some messages are selected
   */
  LiveTail(
      List<PartitionScan> scans,
      List<Integer> partitions,
      Map<Integer, Long> seen,
      int limit,
      boolean filtered) {
    this.scans = scans;
    this.partitions = partitions;
    this.limit = limit;
    most = filtered ? Math.max(limit, MOST_LOOKED_AT / partitions.size()) : limit;
    // Without a filter it reads so few that time does not matter.
    longest = filtered ? LONGEST.dividedBy(partitions.size()) : Duration.ofSeconds(10);
    for (int partition : partitions) {
      Long place = seen.get(partition);
      if (place != null) {
        this.seen.put(partition, place);
      }
    }
  }

  Messages.News next() {
    List<Found> found = new ArrayList<>();
    long arrived = 0;
    long looked = 0;
    for (int i = 0; i < scans.size(); i++) {
      PartitionScan scan = scans.get(i);
      int partition = partitions.get(i);
      long end = scan.end();
      Long before = seen.get(partition);
      long low = Math.max(end - most, before == null ? scan.start() : before);
      Effort effort = new Effort(Long.MAX_VALUE, longest);
      long reached = low < end ? read(scan, low, end, effort, found) : end;
      arrived += before == null ? effort.looked() : Math.max(0, reached - before);
      looked += effort.looked();
      seen.put(partition, reached);
    }
    long matched = found.size();
    // Stable, so that the messages of a partition stay in its order.
    Collections.reverse(found);
    found.sort(Comparator.comparing(Found::time).reversed());
    return new Messages.News(
        found.stream().limit(limit).map(Found::fields).toList(),
        arrived,
        looked,
        matched,
        Places.text(seen));
  }

  /** Skips what is deleted before it is read: a queue in memory deletes what was performed. */
  private static long read(
      PartitionScan scan, long low, long end, Effort effort, List<Found> found) {
    try {
      return scan.between(low, end, effort, found::add);
    } catch (PositionOutOfRange e) {
      return Math.min(end, scan.start());
    }
  }

  void close() {
    scans.forEach(PartitionScan::close);
  }
}
