/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.background.BackgroundTask;
import io.forebay.background.Outage;
import io.forebay.operations.Audit;
import io.forebay.operations.Services;
import java.time.Duration;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Makes services follow the desired states that operators have set at any instance, and ends pauses
 * at their time. Holds the services before they start, so that a paused service performs nothing.
 */
public final class DesiredStateFollower implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(DesiredStateFollower.class);
  private static final Duration EVERY = Duration.ofSeconds(1);

  /** How long the start waits for the first result. */
  private static final Duration FIRST = Duration.ofSeconds(1);

  private final Services services;
  private final Supplier<Audit> audit;
  private final BackgroundTask task;

  /**
   * @param audit records what ends by itself
   */
  public DesiredStateFollower(Services services, Supplier<Audit> audit) {
    this.services = services;
    this.audit = audit;
    task =
        new BackgroundTask(
            "forebay-desired-states",
            EVERY,
            new Outage(
                log,
                "Reading desired states",
                "services keep their current state, no pause ends, retrying every second"),
            this::follow);
  }

  private void follow() {
    services.follow();
    services.endPauses(audit);
  }

  /** Waits a moment for the database, so that a normal start does not report that it waits. */
  @Override
  public void start() {
    services.hold("waiting for the system database, which stores what is paused");
    task.startAndAwaitSuccess(FIRST);
  }

  @Override
  public void stop() {
    task.close();
  }

  @Override
  public boolean isRunning() {
    return task.isRunning();
  }

  /** Starts before the services and stops after them. */
  @Override
  public int getPhase() {
    return -1;
  }
}
