/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import io.forebay.service.ServiceState.Phase;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets services go on until nothing waits before them, so that a process which ends leaves little
 * behind. What remains is performed by the next start; nothing is lost either way.
 */
public final class GracefulStop {

  private static final Logger log = LoggerFactory.getLogger(GracefulStop.class);
  private static final Duration STEP = Duration.ofMillis(20);
  private static final Duration REPORT = Duration.ofSeconds(2);

  /** Those that may yet perform what waits. */
  private static final Set<Phase> WORKING =
      EnumSet.of(Phase.RUNNING, Phase.STARTING, Phase.DRAINING, Phase.WAITING);

  private final Services services;
  private final Duration limit;

  /**
   * @param limit how long it lets them at most; zero: not at all
   */
  public GracefulStop(Services services, Duration limit) {
    this.services = services;
    this.limit = limit;
  }

  /** How long what works is let at most. */
  public Duration limit() {
    return limit;
  }

  /**
   * Waits until nothing is left, nobody works on it, or the time is over; also that is not an
   * error.
   *
   * @return how many messages are left, at most
   */
  public long await() throws InterruptedException {
    long begun = System.nanoTime();
    long reported = begun;
    long left;
    while ((left = waiting(true)) > 0 && System.nanoTime() - begun < limit.toNanos()) {
      if (System.nanoTime() - reported >= REPORT.toNanos()) {
        log.info("{} messages wait; the services go on before they stop", left);
        reported = System.nanoTime();
      }
      Thread.sleep(STEP);
    }
    long waiting = waiting(false);
    if (waiting > 0) {
      log.info("{} messages wait for the next start (limit={})", waiting, limit);
    }
    return waiting;
  }

  private long waiting(boolean workingOnly) {
    long sum = 0;
    for (ServiceOperations service : services.all()) {
      ServiceView view = service.view();
      if (!workingOnly || WORKING.contains(view.state().phase())) {
        sum += view.behind().orElse(0);
      }
    }
    return sum;
  }
}
