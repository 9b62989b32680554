/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.nio.file.FileStore;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the open queues of a backend store on the volume where they are.
 *
 * @param directory the directory of the queues
 * @param volume the volume of the directory
 * @param reserveBytes appends are refused when less of the volume is free
 * @param roll how long one file is written to, at most
 * @param queues in the order of their names
 */
public record Storage(
    Path directory, FileStore volume, long reserveBytes, Duration roll, List<OfQueue> queues) {

  public Storage {
    queues = List.copyOf(queues);
  }

  /**
   * One queue. Its counters never decrease and start at 0 when it is opened.
   *
   * @param kept how long a file is kept after it was closed, as given when the queue was opened
   * @param appendedBytes the bytes that all messages so far took
   * @param deletedBytes the bytes of its files deleted so far
   * @param bytes the disk space that its files take now
   * @param files by partition, oldest first, as last listed
   * @param ring what its partitions have in rings, before it is in files; null without rings
   */
  public record OfQueue(
      String queue,
      Duration kept,
      long appendedBytes,
      long deletedBytes,
      long bytes,
      List<File> files,
      @Nullable Ring ring) {

    public OfQueue {
      files = List.copyOf(files);
    }
  }

  /**
   * A ring in memory that takes messages before they are written to files.
   *
   * @param highWaterBytes the most that was used since the queue was opened
   * @param lag the age of the oldest message that is not in a file yet
   */
  public record Ring(long capacityBytes, long usedBytes, long highWaterBytes, Duration lag) {

    /** Both together: the sums, and the larger lag. */
    public Ring and(Ring other) {
      return new Ring(
          capacityBytes + other.capacityBytes,
          usedBytes + other.usedBytes,
          highWaterBytes + other.highWaterBytes,
          lag.compareTo(other.lag) > 0 ? lag : other.lag);
    }
  }

  /**
   * A file of one partition.
   *
   * @param name the path of queue, partition and file
   * @param bytes the disk space it takes; a sparse file is longer
   * @param closed when it was closed, or the latest time when it will be
   * @param neededBy the registered consumers that have not passed all of it
   * @param stays whether it is kept until newer files are begun, whatever its age
   */
  public record File(String name, long bytes, Instant closed, Set<String> neededBy, boolean stays) {

    public File {
      neededBy = Set.copyOf(neededBy);
    }
  }
}
