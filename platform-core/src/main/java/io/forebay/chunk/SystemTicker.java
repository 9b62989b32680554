/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import java.time.Duration;

/** The system's time, and a daemon thread per collector that ticks. */
record SystemTicker(Duration period) implements Ticker {

  @Override
  public long nanos() {
    return System.nanoTime();
  }

  @Override
  public Runnable start(Runnable tick) {
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .name("forebay-collector-ticker")
            .unstarted(() -> {
              try {
                while (true) {
                  Thread.sleep(period);
                  tick.run();
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
    thread.start();
    return thread::interrupt;
  }
}
