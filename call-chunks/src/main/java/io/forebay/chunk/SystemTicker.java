/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
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
    Outage outage = new Outage(log, "The tick of a collector", "the next one follows");
    BackgroundTask task = new BackgroundTask("forebay-collector-ticker", period, outage, tick::run);
    task.start(period);
    return () -> task.close(Duration.ZERO);
  }
}
