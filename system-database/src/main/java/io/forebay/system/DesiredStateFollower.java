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
 * Has services do what operators want, whichever instance they told it. It holds them before they
 * start, so that nothing is performed that an operator had paused.
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
    services.hold("waiting for the system database, which knows what is paused");
    Thread follower =
        Thread.ofPlatform().name("forebay-desired-states").daemon().unstarted(this::run);
    thread = follower; // before it runs, since it runs for as long as it is set
    follower.start();
  }

  private void run() {
    boolean answers = true;
    while (thread != null) {
      try {
        services.follow();
        if (!answers) {
          log.info("the system database tells again what operators want");
        }
        answers = true;
      } catch (Unavailable e) {
        if (answers) {
          log.warn("{}; services stay as they are", e.getMessage());
        }
        answers = false;
      } catch (RuntimeException | Error e) {
        log.error("what operators want could not be followed; it is tried again", e);
      }
      try {
        Thread.sleep(EVERY);
      } catch (InterruptedException _) {
        return; // stop() asks for it
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

  /** Before the services, and stopped after them. */
  @Override
  public int getPhase() {
    return -1;
  }
}
