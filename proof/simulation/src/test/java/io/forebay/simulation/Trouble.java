/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.simulation;

/** What disturbs a process, its host or what it uses. */
enum Trouble {
  DATABASE_RESTARTS(1),
  PROCESS_STOPS(1),
  PROCESS_FREEZES(1),
  DATABASE_IS_AWAY(1),
  DATABASE_STANDS_STILL(1),
  BROKERS_ARE_AWAY(1),
  CLOCK_JUMPS(1),
  PROCESS_IS_KILLED(3);

  private final int share;

  Trouble(int share) {
    this.share = share;
  }

  /** The sum of the shares of all. */
  static int shares() {
    int sum = 0;
    for (Trouble trouble : values()) {
      sum += trouble.share;
    }
    return sum;
  }

  /**
   * @param drawn from 0 to the sum of all shares − 1
   */
  static Trouble of(int drawn) {
    int left = drawn;
    for (Trouble trouble : values()) {
      left -= trouble.share;
      if (left < 0) {
        return trouble;
      }
    }
    throw new IllegalArgumentException("drawn is " + drawn + ", maximum " + (shares() - 1));
  }
}
