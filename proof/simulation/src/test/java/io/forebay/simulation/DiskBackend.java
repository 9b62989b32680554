/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.queue.Level;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The queues of a {@link Disk} in one process. */
final class DiskBackend implements QueueBackend {

  private final Disk disk;
  private final Level level;
  private final QueueFaults faults;
  private final List<DiskQueue> open = new CopyOnWriteArrayList<>();

  /**
   * @param level {@link Level#DISK} or {@link Level#PROCESS}
   */
  DiskBackend(Disk disk, Level level, QueueFaults faults) {
    this.disk = disk;
    this.level = level;
    this.faults = faults;
  }

  @Override
  public String name() {
    return "disk";
  }

  @Override
  public MessageQueue open(String name, int partitions, Duration kept) {
    if (partitions < 1) {
      throw new IllegalArgumentException("partitions is " + partitions + ", minimum 1");
    }
    DiskQueue queue = new DiskQueue(disk.open(name, partitions), level, faults, open::remove);
    open.add(queue);
    return queue;
  }

  /** Whether a force of one of its queues failed. */
  boolean hasFailed() {
    return open.stream().anyMatch(it -> it.failure() != null);
  }

  @Override
  public void close() {
    open.forEach(DiskQueue::close);
  }
}
