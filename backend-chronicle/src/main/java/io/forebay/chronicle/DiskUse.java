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
  private final SingleChronicleQueue queue;

  /** Of files that are written to no more. */
  private final Map<Integer, Long> written = new ConcurrentHashMap<>();

  DiskUse(CycleFiles files, SingleChronicleQueue queue) {
    this.files = files;
    this.queue = queue;
  }

  /**
   * What is written, to within one message a file; the files themselves are sparse and look larger.
   */
  long bytes() {
    long sum = 0;
    List<Integer> cycles = files.cycles();
    for (int cycle : cycles) {
      boolean last = cycle == cycles.getLast();
      sum +=
          last
              ? Tail.writePosition(cycle, queue)
              : written.computeIfAbsent(cycle, each -> Tail.writePosition(each, queue));
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
    int deleted = 0;
    for (int i = 0; i + ALWAYS_KEPT < cycles.size(); i++) {
      long next = firstFrom(cycles, i + 1, reader);
      Instant keptUntil = Instant.ofEpochMilli(files.endMillis(cycles.get(i))).plus(kept);
      if (next == CycleFiles.EMPTY
          || next > passed.orElse(Long.MAX_VALUE)
          || kept.isPositive() && keptUntil.isAfter(now)) {
        break;
      }
      files.delete(cycles.get(i));
      written.remove(cycles.get(i));
      deleted++;
    }
    if (deleted > 0) {
      queue.refreshDirectoryListing();
      LOG.info("{}: deleted {} files that nobody needs any more", files.name(), deleted);
    }
  }

  private long firstFrom(List<Integer> cycles, int index, FrameReader reader) {
    long first = CycleFiles.EMPTY;
    for (int i = index; first == CycleFiles.EMPTY && i < cycles.size(); i++) {
      first = files.firstNumber(cycles.get(i), reader);
    }
    return first;
  }
}
