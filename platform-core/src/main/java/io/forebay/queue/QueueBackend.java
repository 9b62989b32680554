/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.time.Duration;
import java.util.Optional;

/** Where queues live: memory, the disk of one host, or a cluster. Thread-safe. */
public interface QueueBackend extends AutoCloseable {

  /** The name used in the configuration: {@code memory}, {@code chronicle}, … */
  String name();

  /** Whether other processes share its queues and may take over partitions. */
  default boolean isShared() {
    return false;
  }

  /**
   * Opens the queue of that name and creates it if it does not exist.
   *
   * @throws IllegalStateException if it exists with another number of partitions, or is open
   *     already
   * @throws QueueFailed if the stored queue cannot be opened
   */
  default MessageQueue open(String name, int partitions) {
    return open(name, partitions, Duration.ZERO);
  }

  /**
   * Opens a queue that clients also read without registering, such as a queue of results.
   *
   * @param kept how long messages are kept after registered consumers no longer need them. After
   *     that time, or when a bounded queue needs the space, they may be deleted, even if no
   *     consumer is registered. Zero: messages are kept until registered consumers have passed
   *     them, however long that takes
   */
  MessageQueue open(String name, int partitions, Duration kept);

  /**
   * What its open queues store; empty for a backend whose files are not on this host. Counters are
   * current; the lists of files are refreshed every ten seconds. Cheap enough to call once a
   * second.
   */
  default Optional<Storage> storage() {
    return Optional.empty();
  }

  /** Closes every queue and releases the backend's resources, such as the lock on its directory. */
  @Override
  void close();
}
