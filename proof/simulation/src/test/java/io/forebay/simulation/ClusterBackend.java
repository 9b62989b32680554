/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The topics of a {@link Cluster} as one process uses them. */
final class ClusterBackend implements QueueBackend {

  private final Cluster cluster;
  private final ClusterFaults faults;
  private final List<ClusterQueue> open = new CopyOnWriteArrayList<>();

  ClusterBackend(Cluster cluster, ClusterFaults faults) {
    this.cluster = cluster;
    this.faults = faults;
  }

  @Override
  public String name() {
    return "cluster";
  }

  @Override
  public boolean isShared() {
    return true;
  }

  @Override
  public MessageQueue open(String name, int partitions, Duration kept) {
    if (partitions < 1) {
      throw new IllegalArgumentException("partitions is " + partitions + ", minimum 1");
    }
    if (isOpen(name)) {
      throw new IllegalStateException("queue " + name + " is open");
    }
    ClusterQueue queue =
        new ClusterQueue(cluster, cluster.open(name, partitions), faults, open::remove);
    open.add(queue);
    return queue;
  }

  private boolean isOpen(String name) {
    return open.stream().anyMatch(it -> it.name().equals(name));
  }

  @Override
  public void close() {
    open.forEach(ClusterQueue::close);
  }
}
