/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench.sweep;

import java.time.Duration;

/** A system that can be loaded at any rate. See {@link PacedLoad}. */
@FunctionalInterface
public interface Load {

  /**
   * Offers messages at a rate and waits until all are complete. A latency begins when a message was
   * due, whether or not it could be sent then, so that a stall counts for all messages that were
   * due meanwhile (no coordinated omission).
   *
   * @param perSecond at least 1
   * @param length how long the messages are due that count; a warm-up comes before
   * @throws InterruptedException if the thread is interrupted; the load is then unusable
   */
  Measurement run(long perSecond, Duration length) throws InterruptedException;
}
