/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue;

/** Where queues live: memory, the disk of one host, or a cluster. Thread-safe. */
public interface QueueBackend extends AutoCloseable {

  /** Its name as a user writes it in the configuration: {@code memory}, {@code chronicle}, … */
  String name();

  /**
   * Opens the queue of that name and creates it if there is none.
   *
   * @throws IllegalStateException if it exists with another number of partitions, or is open
   *     already
   * @throws QueueFailed if what is stored cannot be opened
   */
  MessageQueue open(String name, int partitions);

  /** Closes every queue and gives back what the backend holds, such as a lock on a directory. */
  @Override
  void close();
}
