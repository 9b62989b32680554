/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.stored;

import java.util.List;
import java.util.function.Supplier;

/**
 * The queues that a backend has stored, for reading from outside. Reading disturbs no service that
 * uses them: it takes no lock, registers no consumer, and creates and changes nothing. For one
 * thread.
 */
public interface StoredQueues extends AutoCloseable {

  /** Where they are, as text for an operator. */
  String place();

  /** Whether each position of a partition is a message, but for those that were lost. */
  default boolean contiguous() {
    return true;
  }

  /**
   * The queues that exist now, by name.
   *
   * @throws io.forebay.queue.QueueUnavailable if their server does not respond
   * @throws io.forebay.queue.QueueFailed if they cannot be read
   */
  List<StoredQueue> queues();

  @Override
  default void close() {}

  /** Of a process without queues. */
  static StoredQueues none() {
    return of("this process", List::of);
  }

  /** Open queues of this process, which are closed elsewhere. */
  static StoredQueues of(String place, Supplier<List<StoredQueue>> queues) {
    return new StoredQueues() {
      @Override
      public String place() {
        return place;
      }

      @Override
      public List<StoredQueue> queues() {
        return queues.get();
      }
    };
  }
}
