/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

import io.forebay.queue.MessageQueue;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Records in {@link HostedProgress} that a service performs a partition of a queue, and refuses
 * another queue while the previous one was not drained. Not thread-safe.
 */
public final class Adoption {

  private static final String MEMORY = "memory:";

  final String service;
  final int partition;
  final MessageQueue in;
  private final HostedProgress remembered;
  private boolean isNew;

  public Adoption(String service, int partition, MessageQueue in, HostedProgress remembered) {
    this.service = service;
    this.partition = partition;
    this.in = in;
    this.remembered = remembered;
  }

  /**
   * What is recorded of the partition, of whatever queue; null if nothing.
   *
   * @throws Unavailable if that cannot be read now
   * @throws Disagreement if messages may be left in another queue
   */
  HostedProgress.@Nullable Entry find() {
    Map<Integer, HostedProgress.Entry> entries = remembered.find(service);
    HostedProgress.Entry entry = entries.get(partition);
    if (entry == null || !isOwn(entry)) {
      mustBeDrained(service, partition, in.partitions(), in.identity(), entries);
      isNew = true;
    } else {
      isNew = entry.drained();
    }
    return entry;
  }

  boolean isOwn(HostedProgress.Entry entry) {
    return entry.queueId().equals(in.identity());
  }

  /**
   * Checks that a partition may begin with another queue. Also checks the partitions that only the
   * previous queue had: nothing else would check them.
   *
   * @param partitions the number of partitions of the other queue
   * @param queueId its identity
   * @param entries what is recorded of the service, by partition
   * @throws Disagreement if messages may be left in the previous queue
   */
  public static void mustBeDrained(
      String service,
      int partition,
      int partitions,
      String queueId,
      Map<Integer, HostedProgress.Entry> entries) {
    entries.forEach((number, entry) -> {
      boolean concerned = number == partition || number >= partitions;
      if (concerned
          && !entry.drained()
          && !entry.queueId().equals(queueId)
          && !entry.queueId().startsWith(MEMORY)) {
        throw new Disagreement(
            String.format(
                Locale.ROOT,
                "partition %d of service %s has performed queue %s up to %,d and has not"
                    + " drained it, but was started with queue %s; start it with the previous queue"
                    + " and drain it; if that queue is lost, see docs/operations.md, \"A queue"
                    + " was lost\"",
                number,
                service,
                entry.queueId(),
                entry.position(),
                queueId));
      }
    });
  }

  /**
   * Records that the service performs this queue, unless that is recorded; it is durable when this
   * returns.
   *
   * @throws Unavailable if it cannot be written now
   */
  void adopt(long position) {
    if (isNew) {
      keep(position, false);
      isNew = false;
    }
  }

  /**
   * Records a position.
   *
   * @throws Unavailable if it cannot be written now
   */
  void keep(long position, boolean drained) {
    boolean inMemory = in.identity().startsWith(MEMORY);
    if (!inMemory && (remembered.isShared() || !in.shared())) {
      remembered.keep(
          service, partition, new HostedProgress.Entry(in.identity(), position, drained));
    }
  }
}
