/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.time.Duration;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

/** A clock that advances and ticks only on command. */
final class ManualTicker implements Ticker {

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);
  private final CopyOnWriteArrayList<Runnable> ticks = new CopyOnWriteArrayList<>();

  @Override
  public long nanos() {
    return nanos.get();
  }

  @Override
  public Runnable start(Runnable tick) {
    ticks.add(tick);
    return () -> ticks.remove(tick);
  }

  void advance(Duration duration) {
    nanos.addAndGet(duration.toNanos());
    ticks.forEach(Runnable::run);
  }

  boolean isTicking() {
    return !ticks.isEmpty();
  }
}
