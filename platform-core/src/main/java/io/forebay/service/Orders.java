/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import org.jspecify.annotations.Nullable;

/** What an operator asks of the partitions of a service. Thread-safe. */
final class Orders {

  private volatile @Nullable Rest rest;
  private volatile boolean draining;

  /** A pause or hold: why nothing is performed now. */
  record Rest(ServiceState.Phase phase, String reason) {}

  /** Begins or ends a rest. */
  void rest(@Nullable Rest value) {
    rest = value;
  }

  @Nullable Rest rest() {
    return rest;
  }

  void drain(boolean value) {
    draining = value;
  }

  /** Whether each partition ends when no message is left. */
  boolean isDraining() {
    return draining;
  }
}
