/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import java.time.Instant;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * What a service, or one partition of it, does now and why.
 *
 * @param reason in words for an operator; empty where the phase says it all
 * @param since since when
 * @param cause what it failed with, or null
 */
public record ServiceState(Phase phase, String reason, Instant since, @Nullable Throwable cause) {

  /** From the best to the worst: a service is in the worst phase of its partitions. */
  public enum Phase {
    /** It was not started, or no partition is assigned to this instance. */
    IDLE,
    RUNNING,
    /** It performs what is there, then ends. */
    DRAINING,
    /** It has performed all there was and ended. */
    DRAINED,
    STOPPED,
    STARTING,
    /** An operator has paused it. */
    PAUSED,
    /** It waits for what it needs, such as the database, and goes on by itself. */
    WAITING,
    /** Another instance has taken over. */
    FENCED,
    /** It cannot go on without an operator. */
    FAILED
  }

  /** The worst phase is the greatest; of the same phase one that has a reason. */
  public static Comparator<ServiceState> byPhase() {
    return Comparator.comparing(ServiceState::phase).thenComparing(it -> !it.reason().isEmpty());
  }

  @Override
  public String toString() {
    return reason.isEmpty() ? phase.toString() : phase + ": " + reason;
  }
}
