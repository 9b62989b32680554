/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

import java.time.Duration;
import java.util.Optional;

/** Where queues live: memory, the disk of one host, or a cluster. Thread-safe. */
public interface QueueBackend extends AutoCloseable {

  /** Its name as a user writes it in the configuration: {@code memory}, {@code chronicle}, … */
  String name();

  /** Whether its queues are shared with other processes, which may take over their partitions. */
  default boolean isShared() {
    return false;
  }

  /**
   * Opens the queue of that name and creates it if there is none.
   *
   * @throws IllegalStateException if it exists with another number of partitions, or is open
   *     already
   * @throws QueueFailed if what is stored cannot be opened
   */
  default MessageQueue open(String name, int partitions) {
    return open(name, partitions, Duration.ZERO);
  }

  /**
   * Opens a queue that is also read without registering, as results are.
   *
   * @param kept how long its messages are kept beyond what registered consumers need; then, or when
   *     a bounded queue needs the room, they may go, also if no consumer is registered. Zero:
   *     messages are kept until registered consumers have passed them, however long that takes
   */
  MessageQueue open(String name, int partitions, Duration kept);

  /**
   * What its open queues have on the disk of this host; empty for a backend that has nothing there.
   * Counters are those of now; files are looked at every ten seconds and not when this is asked, so
   * that it may be asked once a second.
   */
  default Optional<Storage> storage() {
    return Optional.empty();
  }

  /** Closes every queue and gives back what the backend holds, such as a lock on a directory. */
  @Override
  void close();
}
