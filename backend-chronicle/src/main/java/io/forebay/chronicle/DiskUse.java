/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What the files of one partition take, and their deletion when they are no longer needed. */
final class DiskUse {

  private static final Logger LOG = LoggerFactory.getLogger(DiskUse.class);

  /** The file that is written to, and one more, since Chronicle may be on its way between them. */
  private static final int ALWAYS_KEPT = 2;

  private final CycleFiles files;
  private final Lookup lookup;
  private final SingleChronicleQueue queue;

  /** Of files that are written to no more. */
  private final Map<Integer, Long> written = new ConcurrentHashMap<>();

  DiskUse(CycleFiles files, Lookup lookup, SingleChronicleQueue queue) {
    this.files = files;
    this.lookup = lookup;
    this.queue = queue;
  }

  /**
   * What is written, to within a message a file; the files themselves are sparse and look larger.
   */
  long bytes() {
    List<Integer> cycles = files.cycles();
    if (cycles.isEmpty()) {
      return 0;
    }
    long sum = Tail.writePosition(cycles.removeLast(), queue);
    for (int cycle : cycles) {
      sum += written.computeIfAbsent(cycle, each -> Tail.writePosition(each, queue));
    }
    return sum;
  }

  /**
   * Deletes whole files from the oldest on, as far as nobody needs them.
   *
   * @param passed what all consumers have passed; if there is none, only age counts
   * @param kept how long files are kept although everybody has passed them
   */
  void deletePassed(OptionalLong passed, Duration kept, Instant now, FrameReader reader)
      throws IOException {
    if (passed.isEmpty() && !kept.isPositive()) {
      return;
    }
    List<Integer> cycles = files.cycles();
    int deletable = 0;
    while (deletable + ALWAYS_KEPT < cycles.size()
        && isPast(files.endMillis(cycles.get(deletable)), kept, now)
        && isPassed(lookup.firstFrom(cycles, deletable + 1, reader), passed)) {
      deletable++;
    }
    for (int cycle : cycles.subList(0, deletable)) {
      files.delete(cycle);
      written.remove(cycle);
    }
    if (deletable > 0) {
      queue.refreshDirectoryListing();
      LOG.info("{}: deleted {} files that nobody needs any more", files.name(), deletable);
    }
  }

  private static boolean isPast(long endMillis, Duration kept, Instant now) {
    return kept.isZero() || !Instant.ofEpochMilli(endMillis).plus(kept).isAfter(now);
  }

  private static boolean isPassed(long firstBehind, OptionalLong passed) {
    return firstBehind != CycleFiles.EMPTY && firstBehind <= passed.orElse(Long.MAX_VALUE);
  }
}
