/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import io.forebay.machine.Machine;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The system clock, with a daemon thread per collector that ticks. */
record SystemTicker(Duration period) implements Ticker {

  private static final Logger log = LoggerFactory.getLogger(SystemTicker.class);

  @Override
  public long nanos() {
    return Machine.nanos();
  }

  @Override
  public Runnable start(Runnable tick) {
    Thread thread =
        Machine.thread("forebay-collector-ticker")
            .unstarted(() -> {
              try {
                tickFor(tick);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    thread.start();
    return thread::interrupt;
  }

  /** Continues after a failed tick: without ticks calls would wait for ever. */
  private void tickFor(Runnable tick) throws InterruptedException {
    boolean failed = false;
    while (true) {
      Machine.sleep(period);
      try {
        tick.run();
        failed = false;
      } catch (RuntimeException | Error e) {
        if (!failed) {
          failed = true;
          log.error("collector tick failed; the next tick follows in {}", period, e);
        }
      }
    }
  }
}
