/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.demo;

import io.forebay.admin.page.Demo;
import java.time.Duration;

/** The current time of day in the shop. Thread-safe. */
final class DemoDay implements Demo {

  private final long begin = System.nanoTime();
  private long burstUntil = begin;

  synchronized Day now() {
    long now = System.nanoTime();
    return Day.at(Duration.ofNanos(now - begin), now < burstUntil);
  }

  @Override
  public synchronized void burst(Duration length) {
    burstUntil = Math.max(burstUntil, System.nanoTime() + length.toNanos());
  }

  @Override
  public boolean isBursting() {
    return now().bursting();
  }
}
