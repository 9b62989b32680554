/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle.file;

import io.forebay.queue.Storage;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The disk usage of one partition's files, and the deletion of files that are no longer needed.
 * Thread-safe.
 */
public final class DiskUse {

  private static final Logger LOG = LoggerFactory.getLogger(DiskUse.class);

  /** The current file and the one before, since Chronicle may be moving between them. */
  private static final int ALWAYS_KEPT = 2;

  private final CycleFiles files;
  private final SingleChronicleQueue queue;

  /** The sizes of files that are no longer written to. */
  private final Map<Integer, Long> closed = new ConcurrentHashMap<>();

  private volatile long deletedBytes;

  DiskUse(CycleFiles files, SingleChronicleQueue queue) {
    this.files = files;
    this.queue = queue;
  }

  /** Bytes allocated on disk. The files are sparse, so their lengths are larger. */
  public synchronized long bytes() {
    long sum = 0;
    for (int cycle : files.cycles()) {
      sum += bytes(cycle);
    }
    return sum;
  }

  /**
   * Bytes that a file uses on disk. Where the system does not report them: the bytes written to it,
   * accurate to one message.
   */
  long bytes(int cycle) {
    if (cycle == files.newest()) {
      return read(cycle);
    }
    return closed.computeIfAbsent(cycle, this::read);
  }

  private long read(int cycle) {
    OptionalLong allocated = Blocks.allocated(files.path(cycle));
    return allocated.isPresent() ? allocated.getAsLong() : LogEnd.writePosition(cycle, queue);
  }

  /**
   * Deletes whole files, oldest first, that no consumer needs.
   *
   * @param passed the position all consumers have passed; if empty, only age counts
   * @param kept how long files are kept after all consumers have passed them
   */
  public synchronized void deletePassed(OptionalLong passed, Duration kept, Instant now)
      throws IOException {
    if (passed.isEmpty() && !kept.isPositive()) {
      return;
    }
    List<Integer> cycles = files.cycles();
    int deletable = 0;
    while (deletable + ALWAYS_KEPT < cycles.size()
        && isPast(files.endMillis(cycles.get(deletable)), kept, now)
        && isPassed(files.firstFrom(cycles.get(deletable + 1)), passed)) {
      deletable++;
    }
    for (int cycle : cycles.subList(0, deletable)) {
      long bytes = bytes(cycle);
      files.delete(cycle);
      deletedBytes += bytes;
      closed.remove(cycle);
    }
    if (deletable > 0) {
      queue.refreshDirectoryListing();
      LOG.info("{}: deleted {} files that no consumer needs", files.name(), deletable);
    }
  }

  /** The disk space of the files deleted so far, in bytes. */
  public long deletedBytes() {
    return deletedBytes;
  }

  /**
   * Lists its files, oldest first, with the consumers that need each.
   *
   * @param prefix the prefix of their names
   * @param passed what each consumer has passed
   * @param end the number of the next message
   */
  public synchronized List<Storage.File> list(String prefix, Map<String, Long> passed, long end) {
    if (files.isEmpty()) {
      return List.of();
    }
    Map<String, Integer> needs = new HashMap<>();
    passed.forEach((consumer, position) -> {
      if (position < end) {
        needs.put(consumer, files.cycleWith(position));
      }
    });
    List<Integer> cycles = files.cycles();
    List<Storage.File> all = new ArrayList<>();
    for (int cycle : cycles) {
      all.add(
          new Storage.File(
              prefix + files.path(cycle).getFileName(),
              bytes(cycle),
              Instant.ofEpochMilli(files.endMillis(cycle)),
              neededBy(cycle, needs),
              all.size() + ALWAYS_KEPT >= cycles.size()));
    }
    return all;
  }

  /** A consumer that needs a file needs all later files too. */
  private static Set<String> neededBy(int cycle, Map<String, Integer> needs) {
    Set<String> consumers = new HashSet<>();
    needs.forEach((consumer, from) -> {
      if (from <= cycle) {
        consumers.add(consumer);
      }
    });
    return consumers;
  }

  private static boolean isPast(long endMillis, Duration kept, Instant now) {
    return kept.isZero() || !Instant.ofEpochMilli(endMillis).plus(kept).isAfter(now);
  }

  private static boolean isPassed(long firstBehind, OptionalLong passed) {
    return firstBehind != CycleFiles.EMPTY && firstBehind <= passed.orElse(Long.MAX_VALUE);
  }
}
