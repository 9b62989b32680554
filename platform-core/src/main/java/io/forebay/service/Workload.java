/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.service;

import io.forebay.machine.Machine;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;

/**
 * How long a partition's thread has been busy, and when its current message was accepted. The
 * thread writes it with a few plain stores per batch; any thread reads it.
 */
final class Workload {

  private static final long NOTHING = -1;

  /**
   * One word, so that it is read atomically. If the low bit is 0, the other bits are the busy time.
   * If it is 1, they are the time at which the present work would have begun if all work had been
   * done without a break.
   */
  private final AtomicLong worked = new AtomicLong();

  /** When the present work began or was resumed. */
  private final AtomicLong begun = new AtomicLong();

  private final AtomicLong headPosition = new AtomicLong(NOTHING);
  private final AtomicLong headMicros = new AtomicLong();

  /** Begins work; does nothing if it has already begun. */
  void begin() {
    long value = worked.getPlain();
    if ((value & 1) == 0) {
      long now = Machine.nanos();
      begun.setPlain(now);
      worked.setRelease((now - (value >> 1)) << 1 | 1);
    }
  }

  /** How long it has worked without a break; zero if it is not working. */
  Duration inHand() {
    long value = worked.getAcquire();
    long nanos = (value & 1) == 0 ? 0 : Machine.nanos() - begun.getAcquire();
    return worked.getAcquire() == value ? Duration.ofNanos(nanos) : Duration.ZERO;
  }

  /**
   * Ends or interrupts the work.
   *
   * @return whether it was working
   */
  boolean end() {
    long value = worked.getPlain();
    if ((value & 1) == 0) {
      return false;
    }
    worked.setRelease((Machine.nanos() - (value >> 1)) << 1);
    return true;
  }

  /** The busy time until now in nanoseconds, including the current work. */
  long workedNanos() {
    long value = worked.getAcquire();
    return (value & 1) == 0 ? value >> 1 : Machine.nanos() - (value >> 1);
  }

  /** Sets position and acceptance time of the oldest message that is not performed. */
  void head(long position, long acceptedMicros) {
    headMicros.setRelease(acceptedMicros);
    headPosition.setRelease(position);
  }

  /**
   * When the message at a position was accepted, if it is the current one. The caller must then
   * check whether it is still the oldest: otherwise the time may be that of the next message.
   */
  OptionalLong acceptedMicros(long position) {
    boolean inHand = headPosition.getAcquire() == position;
    return inHand ? OptionalLong.of(headMicros.getAcquire()) : OptionalLong.empty();
  }
}
