/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How long a partition's thread has worked, and since when the message it has in hand waits. The
 * thread writes it, a few plain stores per batch; any thread reads it.
 */
final class Workload {

  private static final long NOTHING = -1;

  /**
   * One word, so that it is read whole. Shifted by one it is, with the low bit 0, the time worked;
   * with the low bit 1, the moment at which the present work would have begun if all of it had been
   * done without a break.
   */
  private final AtomicLong worked = new AtomicLong();

  /** When the present work was begun, or taken up again. */
  private final AtomicLong begun = new AtomicLong();

  private final AtomicLong headPosition = new AtomicLong(NOTHING);
  private final AtomicLong headMicros = new AtomicLong();

  /** Begins to work; does nothing if it works already. */
  void begin() {
    long value = worked.getPlain();
    if ((value & 1) == 0) {
      long now = System.nanoTime();
      begun.setPlain(now);
      worked.setRelease((now - (value >> 1)) << 1 | 1);
    }
  }

  /** For how long it has worked without a break; zero if it does not work. */
  Duration inHand() {
    long value = worked.getAcquire();
    long nanos = (value & 1) == 0 ? 0 : System.nanoTime() - begun.getAcquire();
    return worked.getAcquire() == value ? Duration.ofNanos(nanos) : Duration.ZERO;
  }

  /**
   * Ends or interrupts the work.
   *
   * @return whether it worked
   */
  boolean end() {
    long value = worked.getPlain();
    if ((value & 1) == 0) {
      return false;
    }
    worked.setRelease((System.nanoTime() - (value >> 1)) << 1);
    return true;
  }

  /** Nanoseconds worked until now, the work in hand among them. */
  long workedNanos() {
    long value = worked.getAcquire();
    return (value & 1) == 0 ? value >> 1 : System.nanoTime() - (value >> 1);
  }

  /** The message at a position, the oldest that is not performed, was accepted at that time. */
  void head(long position, long acceptedMicros) {
    headMicros.setRelease(acceptedMicros);
    headPosition.setRelease(position);
  }

  /**
   * When the message at a position was accepted, if it is the one in hand. Whoever asks must then
   * look whether that is still the oldest: otherwise the figure may be the next one's.
   */
  OptionalLong acceptedMicros(long position) {
    boolean inHand = headPosition.getAcquire() == position;
    return inHand ? OptionalLong.of(headMicros.getAcquire()) : OptionalLong.empty();
  }
}
