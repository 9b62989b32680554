/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.system;

import io.forebay.operations.Services;
import io.forebay.service.progress.Unavailable;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Makes services follow the desired states that operators have set at any instance. Holds the
 * services before they start, so that a paused service performs nothing.
 */
public final class DesiredStateFollower implements SmartLifecycle {

  private static final Logger log = LoggerFactory.getLogger(DesiredStateFollower.class);
  private static final Duration EVERY = Duration.ofSeconds(1);

  private final Services services;
  private volatile @Nullable Thread thread;

  public DesiredStateFollower(Services services) {
    this.services = services;
  }

  @Override
  public void start() {
    services.hold("waiting for the system database, which stores what is paused");
    Thread follower =
        Thread.ofPlatform().name("forebay-desired-states").daemon().unstarted(this::run);
    thread = follower; // before the start: the loop ends when the field is null
    follower.start();
  }

  private void run() {
    boolean answers = true;
    while (thread != null) {
      try {
        services.follow();
        if (!answers) {
          log.info("Desired states are followed again: the system database responds");
        }
        answers = true;
      } catch (Unavailable e) {
        if (answers) {
          log.warn(
              "Desired states not read: {}; services keep their current state", e.getMessage());
        }
        answers = false;
      } catch (RuntimeException | Error e) {
        log.error("Desired states not followed; retry in a second", e);
      }
      try {
        Thread.sleep(EVERY);
      } catch (InterruptedException _) {
        return; // by stop()
      }
    }
  }

  @Override
  public void stop() {
    Thread current = thread;
    thread = null;
    if (current != null) {
      current.interrupt();
      try {
        current.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @Override
  public boolean isRunning() {
    return thread != null;
  }

  /** Starts before the services and stops after them. */
  @Override
  public int getPhase() {
    return -1;
  }
}
