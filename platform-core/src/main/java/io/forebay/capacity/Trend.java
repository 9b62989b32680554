/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import java.util.Optional;

/**
 * Whether more or fewer messages wait. Between two commits their number only rises, and it falls at
 * a commit, so it is compared from commit to commit.
 *
 * <pre>
 * A &gt; 1.3 P, P = 0 growing, because those that wait get older
 * P &gt; 1.3 A        draining
 * otherwise        it stays as it is until the number at a commit has left its highest (growing)
 *                  or lowest (draining) value by more than {@link #margin}
 * </pre>
 *
 * A is the intake of a whole batch or 10 s, whichever is longer; P is {@link Pace#perSecond}. Not
 * thread-safe.
 */
final class Trend {

  private static final double CLEAR = 1.3;

  /** Up to here, a sample has several commits of each partition. */
  private static final long SHORT_BATCH_MILLIS = 2_000;

  private Lag.State state = Lag.State.UNKNOWN;
  private long highest;
  private long lowest;
  private long atCommit;

  /** Forgets what was, because nothing waits or nothing is performed. */
  void forget() {
    state = Lag.State.UNKNOWN;
    atCommit = -1;
  }

  /**
   * Adds a sample while messages wait.
   *
   * @param comes A
   * @param goes P
   * @param waiting messages
   * @param window the last commits; empty in the first batch
   * @param isCommit whether this sample has a commit
   */
  void add(
      double comes,
      Figure<Double> goes,
      ServiceSample sample,
      Optional<Pace.Window> window,
      boolean isCommit) {
    long waiting = sample.unperformed().known().orElse(0L);
    if (isCommit || atCommit < 0) {
      if (atCommit < 0) {
        highest = waiting;
        lowest = waiting;
      }
      atCommit = waiting;
    }
    if (goes.known().isEmpty()) {
      if (state == Lag.State.UNKNOWN && comes > 0) {
        state = Lag.State.GROWING; // nothing is committed
      }
      return;
    }
    double performs = goes.known().get();
    if (comes > CLEAR * performs || performs <= 0) {
      turn(Lag.State.GROWING);
    } else if (performs > CLEAR * comes) {
      turn(Lag.State.DRAINING);
    } else if (isCommit && window.isPresent()) {
      compare(margin(window.get(), sample.partitions()));
    }
  }

  private void compare(double margin) {
    if (state != Lag.State.DRAINING && atCommit < highest - margin) {
      turn(Lag.State.DRAINING);
    } else if (state != Lag.State.GROWING && atCommit > lowest + margin) {
      turn(Lag.State.GROWING);
    } else {
      highest = Math.max(highest, atCommit);
      lowest = Math.min(lowest, atCommit);
    }
  }

  private void turn(Lag.State to) {
    state = to;
    highest = atCommit;
    lowest = atCommit;
  }

  /**
   * A batch of each partition: long ones may end at nearly the same time, and the number falls by
   * all of them then. Half of what a second has if batches are short.
   */
  private static double margin(Pace.Window window, int partitions) {
    return window.largest() * (window.longestMillis() <= SHORT_BATCH_MILLIS ? 0.5 : partitions);
  }

  /** GROWING, DRAINING, or STEADY if neither is known. */
  Lag.State state() {
    return state == Lag.State.UNKNOWN ? Lag.State.STEADY : state;
  }
}
