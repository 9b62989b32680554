/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import io.forebay.capacity.sweep.Load;
import io.forebay.capacity.sweep.Measurement;
import io.forebay.queue.MessageQueue;
import io.forebay.queue.QueueBackend;
import io.forebay.queue.Storage;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * A path whose queues are deleted and created again when much is in them, so that a probe takes
 * little space.
 */
final class PathLoad implements Load, AutoCloseable {

  /** What may be in its queues before they are deleted. */
  private static final long MUCH = 1L << 30;

  /** Longer than the pause between two reports of Kafka's brokers. */
  private static final Duration REPORTED = Duration.ofSeconds(12);

  /** The part of the free space that one rate may take. */
  private static final double SHARE = 0.25;

  private final QueueBackend backend;
  private final String name;
  private final Opening opening;
  private ProbePath path;
  private int number;

  /** Opens a path. */
  interface Opening {

    /**
     * @param name with which the names of its queues begin
     */
    ProbePath open(String name) throws InterruptedException;
  }

  /**
   * @param name unique among the paths
   */
  PathLoad(QueueBackend backend, String name, Opening opening) throws InterruptedException {
    this.backend = backend;
    this.name = name;
    this.opening = opening;
    path = opening.open(name + "-" + number);
  }

  @Override
  public Measurement run(long perSecond, Duration length) throws InterruptedException {
    if (stored(path.queues()) > MUCH) {
      close();
      path = opening.open(name + "-" + ++number);
    }
    return path.run(perSecond, length);
  }

  /** Leaves most of the disk free, so that a service beside the probe is not refused. */
  @Override
  public long limit(Duration length) {
    OptionalLong free = free();
    double perMessage = inBytes().orElse(0) + outBytes().orElse(0);
    return free.isEmpty() || perMessage == 0
        ? Long.MAX_VALUE
        : Math.max(1, (long) (free.getAsLong() * SHARE / perMessage / (1.2e-9 * length.toNanos())));
  }

  /** The bytes that can be written until messages are refused; empty if that is unknown. */
  OptionalLong free() {
    try {
      Storage storage = backend.storage().stream().findFirst().orElse(null);
      return storage == null
          ? OptionalLong.empty()
          : OptionalLong.of(
              Math.max(0, storage.volume().getUsableSpace() - storage.reserveBytes()));
    } catch (IOException e) {
      return OptionalLong.empty();
    }
  }

  /** What an acknowledged message survives. */
  String level() {
    return path.in().capabilities().strongest().toString().toLowerCase(Locale.ROOT);
  }

  /**
   * Waits until the bytes of all messages are known, if the backend does not count them itself but
   * asks its server now and then.
   */
  void awaitBytes() throws InterruptedException {
    if (path.in().counters(0).appendedBytes().isEmpty()) {
      Thread.sleep(REPORTED);
    }
  }

  /** The bytes that a message takes in the in-queue; empty if the backend does not know it. */
  OptionalDouble inBytes() {
    return perMessage(List.of(path.in()));
  }

  /** The bytes that it takes in the other queues; empty if there are none. */
  OptionalDouble outBytes() {
    return perMessage(path.queues().stream().filter(it -> it != path.in()).toList());
  }

  private OptionalDouble perMessage(List<MessageQueue> queues) {
    long bytes = stored(queues);
    return bytes == 0 || path.sent() == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of((double) bytes / path.sent());
  }

  /** As far as it is known. */
  private static long stored(List<MessageQueue> queues) {
    return queues.stream().mapToLong(it -> ProbePath.bytes(it).orElse(0)).sum();
  }

  /** Deletes the queues. */
  @Override
  public void close() {
    List<String> names = path.queues().stream().map(MessageQueue::name).toList();
    path.close();
    names.forEach(backend::delete);
  }
}
