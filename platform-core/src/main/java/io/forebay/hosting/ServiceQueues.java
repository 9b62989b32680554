/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The two queues of a service, {@code <name>.in} and {@code <name>.out}. A process opens them once
 * and shares them between the service and its callers; {@link HostedService#close} closes them.
 * Thread-safe.
 *
 * @param name the name of the service
 * @param in where calls are accepted
 * @param out where answers are kept
 */
public record ServiceQueues(String name, MessageQueue in, MessageQueue out)
    implements AutoCloseable {

  private static final Duration KEPT = Duration.ofHours(72);

  /** Opens the queues; answers are kept for 72 h. */
  public static ServiceQueues open(QueueBackend backend, String name, int partitions) {
    return open(backend, name, partitions, KEPT, null);
  }

  /**
   * Opens the queues, and creates those that do not exist. The in-queue of a later stage of a
   * pipeline is the out-queue of the stage before.
   *
   * @param answersKept the minimum time for which the out-queue keeps answers
   * @param source the stage before; null if there is none
   * @throws IllegalStateException if one has another number of partitions or is already open
   * @throws IllegalArgumentException if the stage before answers in runs, which no service performs
   */
  public static ServiceQueues open(
      QueueBackend backend,
      String name,
      int partitions,
      Duration answersKept,
      @Nullable HostedService<?, ?> source) {
    if (source != null && source.answersInRuns()) {
      throw new IllegalArgumentException(
          "service %s cannot perform the answers of service %s, which answers in runs (results=runs); use results=all"
              .formatted(name, source.name()));
    }
    MessageQueue in = source == null ? backend.open(name + ".in", partitions) : source.out();
    try {
      return new ServiceQueues(name, in, backend.open(name + ".out", in.partitions(), answersKept));
    } catch (RuntimeException | Error e) {
      if (source == null) {
        in.close();
      }
      throw e;
    }
  }

  @Override
  public void close() {
    try (out) {
      in.close();
    }
  }
}
