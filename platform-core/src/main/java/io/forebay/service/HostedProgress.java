/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import java.nio.file.Path;
import java.util.Map;

/**
 * Remembers, outside of the queue backend, which queue a service has performed, up to where, and
 * whether that queue was drained. It is for services whose components keep no progress of their own
 * ({@link Resumable}): with it they refuse to start on another queue while messages wait in the
 * former one. Thread-safe.
 *
 * <p>It is written when a service starts on a queue for the first time, when it is drained, and now
 * and then while it is idle. So a position may be an older one, never one that is too new.
 */
public interface HostedProgress {

  /**
   * What is remembered of a partition.
   *
   * @param queueId the identity of the in-queue
   * @param position all before it was performed and answered
   * @param drained whether nothing was left in that queue
   */
  record Entry(String queueId, long position, boolean drained) {}

  /**
   * Whether all instances see the same entries. Where not, nothing is remembered of a queue that
   * instances on several hosts share.
   */
  boolean isShared();

  /**
   * By partition.
   *
   * @throws Unavailable if it cannot be read now
   */
  Map<Integer, Entry> find(String service);

  /**
   * When this returns, a crash does not undo it.
   *
   * @throws Unavailable if it cannot be written now
   */
  void keep(String service, int partition, Entry entry);

  /** A file for each service, in a directory that only this process uses. */
  static HostedProgress inFiles(Path directory) {
    return new HostedProgressFiles(directory);
  }

  /** Remembers nothing. */
  static HostedProgress none() {
    return NoHostedProgress.INSTANCE;
  }
}
