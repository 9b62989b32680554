/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service.progress;

import java.nio.file.Path;
import java.util.Map;

/**
 * Stores, outside of the queue backend, which queue a service has performed, up to which position,
 * and whether it was drained. For services whose components do not store their progress ({@link
 * Resumable}): they then refuse to start on another queue while messages wait in the previous one.
 * Thread-safe.
 *
 * <p>It is written when a service first starts on a queue, when it is drained, and occasionally
 * while it is idle. So a position may be too old, but never too new.
 */
public interface HostedProgress {

  /**
   * The stored progress of a partition.
   *
   * @param queueId the identity of the in-queue
   * @param position the position up to which all messages were performed and answered
   * @param drained whether the queue was drained
   */
  record Entry(String queueId, long position, boolean drained) {}

  /**
   * Whether all instances see the same entries. If not, nothing is stored of queues that several
   * hosts share.
   */
  boolean isShared();

  /**
   * The entries of a service, by partition.
   *
   * @throws Unavailable if they cannot be read now
   */
  Map<Integer, Entry> find(String service);

  /**
   * Stores an entry. It survives a crash once this returns.
   *
   * @throws Unavailable if it cannot be written now
   */
  void keep(String service, int partition, Entry entry);

  /** Stores a file for each service, in a directory that only this process uses. */
  static HostedProgress inFiles(Path directory) {
    return new HostedProgressFiles(directory);
  }

  /** Stores nothing. */
  static HostedProgress none() {
    return NoHostedProgress.INSTANCE;
  }
}
