/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.queue.stored;

import io.forebay.queue.QueueStats;
import io.forebay.queue.Tailer;

/** A queue for reading from outside; see {@link StoredQueues}. For one thread. */
public interface StoredQueue {

  String name();

  /**
   * @throws io.forebay.queue.QueueFailed if it cannot be read
   */
  int partitions();

  /**
   * The figures of a partition: its first position, its end, its bytes if they are known, and the
   * positions that its consumers had passed when they last stored them. The others are empty.
   *
   * @throws io.forebay.queue.QueueFailed if it cannot be read
   */
  QueueStats stats(int partition);

  /**
   * Creates a reader of one partition, positioned at the first message kept; close it. It skips
   * messages that were deleted or cannot be read.
   */
  Tailer tailer(int partition);
}
