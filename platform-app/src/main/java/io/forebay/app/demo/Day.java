/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.demo;

import java.time.Duration;

/**
 * A day of the shop, which is ten minutes long: a wave of traffic with a burst in its morning, and
 * a database that is slow for a while after noon.
 *
 * @param load how many times the usual traffic there is
 * @param bursting whether it is many times that of the wave
 * @param slow whether the database of the stock is slow
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
   * @param sinceStart of the demo, whose first day begins then
   * @param bursting whether somebody wants a burst now
   */
  static Day at(Duration sinceStart, boolean bursting) {
    double second = sinceStart.toMillis() / 1e3 % LENGTH.toSeconds();
    double wave = 1 + WAVE * Math.sin(2 * Math.PI * second / LENGTH.toSeconds());
    boolean burst = bursting || (second >= BURST_FROM && second < BURST_TO);
    return new Day(burst ? BURST * wave : wave, burst, second >= SLOW_FROM && second < SLOW_TO);
  }
}
