/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.http.limit;

import java.util.function.LongSupplier;

/**
 * A token bucket: it is full at first, and gets tokens at a constant rate. It stores only the time
 * at which it will be full again (the virtual scheduling algorithm of ITU-T I.371, GCRA).
 * Thread-safe.
 */
final class TokenBucket {

  private static final double NANOS_PER_SECOND = 1e9;

  /** Streams take tokens for at least this part of a second at once, if there is a burst. */
  private static final int STEPS_PER_SECOND = 20;

  private final int burst;
  private final int rate;
  private final LongSupplier nanoClock;
  private long fullAt;

  /**
   * @param rate tokens per second
   * @param burst the most tokens that it holds
   * @param nanoClock such as {@link System#nanoTime}
   */
  TokenBucket(int rate, int burst, LongSupplier nanoClock) {
    this.rate = rate;
    this.burst = burst;
    this.nanoClock = nanoClock;
    this.fullAt = nanoClock.getAsLong();
  }

  /**
   * Takes tokens. More than it ever holds are taken when it is full; the next ones then take
   * longer.
   *
   * @return whether they were taken
   */
  synchronized boolean tryTake(int tokens) {
    if (nanosUntil(tokens) > 0) {
      return false;
    }
    take(tokens);
    return true;
  }

  /**
   * Takes as many tokens as there are.
   *
   * @return how many; 0 if there are so few that it is better to wait for more
   */
  synchronized int takeSome(int most) {
    if (nanosUntil(Math.min(step(), most)) > 0) {
      return 0;
    }
    int taken = Math.clamp(available(), 1, most);
    take(taken);
    return taken;
  }

  private void take(int tokens) {
    long now = nanoClock.getAsLong();
    fullAt = (fullAt - now > 0 ? fullAt : now) + nanos(tokens);
  }

  /** Gives back tokens that were taken and not used. */
  synchronized void giveBack(int tokens) {
    fullAt -= nanos(tokens);
  }

  /** The time until so many tokens can be taken; 0 or less if they can be taken now. */
  synchronized long nanosUntil(int tokens) {
    return fullAt - nanos(burst - Math.min(tokens, burst)) - nanoClock.getAsLong();
  }

  /** How many tokens it holds. */
  synchronized int available() {
    long missing = Math.max(0, fullAt - nanoClock.getAsLong());
    return Math.max(0, burst - (int) Math.ceil(missing / nanosPerToken()));
  }

  /** The most tokens that it holds. */
  int burst() {
    return burst;
  }

  /** Tokens per second. */
  int rate() {
    return rate;
  }

  /** Less than the burst: a full bucket loses tokens while the stream wakes up. */
  private int step() {
    return Math.clamp(rate / STEPS_PER_SECOND, 1, Math.max(1, burst / 2));
  }

  private double nanosPerToken() {
    return NANOS_PER_SECOND / rate;
  }

  private long nanos(int tokens) {
    return Math.round(tokens * nanosPerToken());
  }
}
