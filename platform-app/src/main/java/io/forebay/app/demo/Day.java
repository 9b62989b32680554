/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.demo;

import java.time.Duration;

/**
 * A day of the shop. It takes ten minutes: a wave of traffic with a burst in the morning, and a
 * slow database for a while after noon.
 *
 * @param load the multiple of the usual traffic
 * @param bursting whether there is a burst, many times the wave
 * @param slow whether the stock database is slow
 */
record Day(double load, boolean bursting, boolean slow) {

  static final Duration LENGTH = Duration.ofMinutes(10);
  private static final double BURST = 10;

  private static final double WAVE = 0.7;
  private static final long SLOW_FROM = 300;
  private static final long SLOW_TO = 390;
  private static final long BURST_FROM = 60;
  private static final long BURST_TO = 80;

  /**
   * @param sinceStart the time since the demo started, which is when its first day began
   * @param bursting whether a user requested a burst
   */
  static Day at(Duration sinceStart, boolean bursting) {
    double second = sinceStart.toMillis() / 1e3 % LENGTH.toSeconds();
    double wave = 1 + WAVE * Math.sin(2 * Math.PI * second / LENGTH.toSeconds());
    boolean burst = bursting || (second >= BURST_FROM && second < BURST_TO);
    return new Day(burst ? BURST * wave : wave, burst, second >= SLOW_FROM && second < SLOW_TO);
  }
}
