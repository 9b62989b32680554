/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueUnavailable;
import io.forebay.service.progress.LockNotAvailable;
import java.time.Instant;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * The present state of a service, or of one of its partitions, and the reason.
 *
 * @param reason the reason, for an operator; empty if the phase needs none
 * @param since when it entered this state
 * @param cause the exception that it failed with, or that something it waits for has thrown; null
 *     if there is none
 */
public record ServiceState(Phase phase, String reason, Instant since, @Nullable Throwable cause) {

  /** Phases from best to worst: a service has the worst phase of its partitions. */
  public enum Phase {
    /** It was not started, or no partition is assigned to this instance. */
    IDLE,
    RUNNING,
    /** It performs the messages in the queue, then ends. */
    DRAINING,
    /** It has performed all messages and ended. */
    DRAINED,
    STOPPED,
    STARTING,
    /** An operator has paused it. */
    PAUSED,
    /** It waits for something unavailable, such as the database, and resumes automatically. */
    WAITING,
    /** Another instance has taken over. */
    FENCED,
    /** It has stopped until an operator acts. */
    FAILED
  }

  /** Whether it waits because a queue refuses messages or does not respond. */
  public boolean waitsForQueue() {
    return phase == Phase.WAITING
        && (cause instanceof QueueRefused
            || cause instanceof QueueUnavailable
            || cause != null && cause.getCause() instanceof QueueUnavailable);
  }

  /** Whether it waits because another session of the database holds a lock. */
  public boolean waitsForLock() {
    return phase == Phase.WAITING && cause instanceof LockNotAvailable;
  }

  /** Whether it waits because its results cannot be stored: the disk is full. */
  public boolean waitsForDisk() {
    return phase == Phase.WAITING
        && cause instanceof QueueRefused refused
        && refused.reason() == QueueRefused.Reason.DISK;
  }

  /** Orders states by phase; of the same phase, one with a reason is greater. */
  public static Comparator<ServiceState> byPhase() {
    return Comparator.comparing(ServiceState::phase).thenComparing(it -> !it.reason().isEmpty());
  }

  @Override
  public String toString() {
    return reason.isEmpty() ? phase.toString() : phase + ": " + reason;
  }
}
