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

/**
 * What the open queues of a backend have on the disk of this host.
 *
 * @param at when the files were looked at
 * @param directory that holds the queues
 * @param volume what the directory is on
 * @param reserveBytes appends are refused when less of the volume is free
 * @param roll how long one file is written to
 * @param queues in the order of their names
 */
public record Storage(
    Instant at,
    Path directory,
    FileStore volume,
    long reserveBytes,
    Duration roll,
    List<OfQueue> queues) {

  public Storage {
    queues = List.copyOf(queues);
  }

  /**
   * One queue. Its counters only grow, and begin at 0 when it is opened.
   *
   * @param kept as it was opened with: how long a file is kept after it was closed
   * @param appendedBytes what its messages took so far
   * @param deletedBytes of its files deleted so far
   * @param files by partition, oldest first
   */
  public record OfQueue(
      String queue, Duration kept, long appendedBytes, long deletedBytes, List<File> files) {

    public OfQueue {
      files = List.copyOf(files);
    }

    /** What its files take of the disk. */
    public long bytes() {
      return files.stream().mapToLong(File::bytes).sum();
    }
  }

  /**
   * A file of one partition.
   *
   * @param name with queue and partition, as it lies below the directory
   * @param bytes it takes of the disk; a sparse file is longer
   * @param begun from when on it is written to
   * @param closed when it was closed, or when it will be at the latest
   * @param open whether it is written to
   * @param neededBy the registered consumers that have not passed all of it
   */
  public record File(
      String name, long bytes, Instant begun, Instant closed, boolean open, Set<String> neededBy) {

    public File {
      neededBy = Set.copyOf(neededBy);
    }
  }
}
