/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What a partition does now and what last went wrong; each change is one line of the log. */
final class Standing {

  private static final Logger log = LoggerFactory.getLogger(Standing.class);

  private final String place;
  private volatile ServiceState state = Service.state(ServiceState.Phase.STARTING, "");
  private volatile @Nullable ServiceError lastError;

  Standing(String place) {
    this.place = place;
  }

  ServiceState state() {
    return state;
  }

  @Nullable ServiceError lastError() {
    return lastError;
  }

  /** Does nothing if that is so already. */
  void enter(ServiceState.Phase phase, String reason) {
    ServiceState before = state;
    if (before.phase() == phase && before.reason().equals(reason)) {
      return;
    }
    state = Service.state(phase, reason);
    log.info("{} is {}, was {}", place, state, before);
  }

  /** What it needs is not there. Only the first of several attempts is a line of the log. */
  void await(RuntimeException missing) {
    ServiceState before = state;
    String reason = String.valueOf(missing.getMessage());
    boolean first = before.phase() != ServiceState.Phase.WAITING;
    if (first) {
      log.warn("{} waits: {}; it tries again by itself", place, reason);
    }
    if (first || !before.reason().equals(reason)) {
      state = Service.state(ServiceState.Phase.WAITING, reason);
    }
    lastError = new ServiceError(reason, Instant.now());
  }

  void fail(String reason, Throwable cause) {
    state = new ServiceState(ServiceState.Phase.FAILED, reason, Instant.now(), cause);
    lastError = new ServiceError(reason, state.since());
    log.error(reason, cause); // last: without memory this may fail, and then it has failed anyway
  }

  void fenced(RuntimeException e) {
    log.warn("{}; this instance no longer works on it", e.getMessage());
    state = Service.state(ServiceState.Phase.FENCED, String.valueOf(e.getMessage()));
    lastError = new ServiceError(state.reason(), state.since());
  }
}
