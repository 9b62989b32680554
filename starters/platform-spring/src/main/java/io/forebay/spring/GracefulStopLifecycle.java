/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.operations.GracefulStop;
import org.springframework.context.SmartLifecycle;

/** Stops after the web server, which then accepts no more requests, and before the services. */
final class GracefulStopLifecycle implements SmartLifecycle {

  private final GracefulStop stop;
  private volatile boolean running;

  GracefulStopLifecycle(GracefulStop stop) {
    this.stop = stop;
  }

  @Override
  public void start() {
    running = true;
  }

  @Override
  public void stop() {
    try {
      stop.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      running = false;
    }
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return 1;
  }
}
