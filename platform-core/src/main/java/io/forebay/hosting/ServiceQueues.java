/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.hosting;

import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import java.time.Duration;

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
    return open(backend, name, partitions, KEPT);
  }

  /**
   * Opens the queues, and creates them if they do not exist.
   *
   * @param answersKept the minimum time for which the out-queue keeps answers
   * @throws IllegalStateException if one has another number of partitions or is already open
   */
  public static ServiceQueues open(
      QueueBackend backend, String name, int partitions, Duration answersKept) {
    MessageQueue in = backend.open(name + ".in", partitions);
    try {
      return new ServiceQueues(name, in, backend.open(name + ".out", partitions, answersKept));
    } catch (RuntimeException | Error e) {
      in.close();
      throw e;
    }
  }

  /**
   * Opens the out-queue of a later stage of a pipeline, and creates it if it does not exist. Its
   * in-queue is the out-queue of the stage before.
   *
   * @param source the stage before
   * @param answersKept the minimum time for which the out-queue keeps answers
   * @throws IllegalArgumentException if the stage before answers in runs, which no service performs
   */
  public static ServiceQueues behind(
      HostedService<?, ?> source, QueueBackend backend, String name, Duration answersKept) {
    if (source.answersInRuns()) {
      throw new IllegalArgumentException(
          "service %s cannot perform the answers of service %s, which answers in runs (results=runs); use results=all"
              .formatted(name, source.name()));
    }
    MessageQueue in = source.out();
    return new ServiceQueues(name, in, backend.open(name + ".out", in.partitions(), answersKept));
  }

  @Override
  public void close() {
    try (out) {
      in.close();
    }
  }
}
