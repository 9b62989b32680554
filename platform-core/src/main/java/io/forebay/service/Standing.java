/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.machine.Machine;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The present state of a partition and its last error; logs each change in one line. */
final class Standing {

  private static final Logger log = LoggerFactory.getLogger(Standing.class);

  /** A batch that takes longer than this is reported. */
  private static final Duration LONG_BATCH = Duration.ofSeconds(5);

  private static final String DISK_FULL =
      "its results cannot be stored because the disk is full; performing continues when there is room";

  private final String place;
  private volatile ServiceState state = Service.state(ServiceState.Phase.STARTING, "");
  private volatile @Nullable ServiceError lastError;

  /** Whether the log does not have the present state; for the thread of the partition. */
  private boolean silent;

  Standing(String place) {
    this.place = place;
  }

  ServiceState state() {
    return state;
  }

  /**
   * The state including a batch that does not end: the worker thread itself, waiting for a reply,
   * cannot report that.
   *
   * @param inHand how long it has worked on the current batch
   */
  ServiceState state(Duration inHand) {
    ServiceState now = state;
    boolean works =
        now.phase() == ServiceState.Phase.RUNNING || now.phase() == ServiceState.Phase.DRAINING;
    if (!works || !now.reason().isEmpty() || inHand.compareTo(LONG_BATCH) < 0) {
      return now;
    }
    Instant since = Machine.now().minus(inHand).truncatedTo(ChronoUnit.MILLIS);
    return new ServiceState(
        now.phase(),
        ("the current batch has run for %,d s (since %s UTC): the database, or another"
                + " service that the component calls, is slow or not responding")
            .formatted(
                inHand.toSeconds(),
                since.truncatedTo(ChronoUnit.SECONDS).toString().substring(11, 19)),
        since,
        null);
  }

  @Nullable ServiceError lastError() {
    return lastError;
  }

  /** Enters a state; does nothing if it is already in it. */
  void enter(ServiceState.Phase phase, String reason) {
    ServiceState before = state;
    if (before.phase() == phase && before.reason().equals(reason)) {
      return;
    }
    state = Service.state(phase, reason);
    silent = false;
    log.info("State of {}: {} (previously {})", place, state, before);
  }

  /**
   * Enters WAITING because something is unavailable. Only the first of several attempts is logged.
   */
  void await(RuntimeException missing) {
    ServiceState before = state;
    String message = String.valueOf(missing.getMessage());
    boolean first = silent || before.phase() != ServiceState.Phase.WAITING;
    silent = false;
    if (first) {
      log.warn("Waiting: {}: {}; retrying", place, message);
    }
    ServiceState now =
        new ServiceState(ServiceState.Phase.WAITING, message, Machine.now(), missing);
    String reason = now.waitsForDisk() ? DISK_FULL : message;
    if (first || !before.reason().equals(reason)) {
      state = new ServiceState(now.phase(), reason, now.since(), missing);
    }
    lastError = new ServiceError(message, now.since());
  }

  /**
   * Enters WAITING because a call is retried; the caller has logged that.
   *
   * @param silently whether {@link #resume} does not log the end of this state either
   */
  void retry(String reason, boolean silently) {
    silent = silently && (silent || state.phase() != ServiceState.Phase.WAITING);
    state = Service.state(ServiceState.Phase.WAITING, reason);
    lastError = new ServiceError(reason, Machine.now());
  }

  /** Enters the state before a wait. */
  void resume(ServiceState before) {
    if (silent) {
      silent = false;
      state = Service.state(before.phase(), before.reason());
    } else {
      enter(before.phase(), before.reason());
    }
  }

  void fail(String reason, Throwable cause) {
    state = new ServiceState(ServiceState.Phase.FAILED, reason, Machine.now(), cause);
    lastError = new ServiceError(reason, state.since());
    log.error(reason, cause); // last: logging may fail without memory; the state is already set
  }

  void fenced(RuntimeException e) {
    log.warn("Fenced: {}; this instance has stopped working on the partition", e.getMessage());
    state = Service.state(ServiceState.Phase.FENCED, String.valueOf(e.getMessage()));
    lastError = new ServiceError(state.reason(), state.since());
  }
}
