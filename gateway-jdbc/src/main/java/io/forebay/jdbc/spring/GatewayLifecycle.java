/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.spring;

import io.forebay.jdbc.gateway.JDBCService;
import org.springframework.context.SmartLifecycle;

/**
 * Starts a gateway before the web server and stops it after it. A gateway that performs the answers
 * of a service is started before that, and stopped after it.
 */
final class GatewayLifecycle implements SmartLifecycle {

  private final JDBCService gateway;
  private final int phase;
  private volatile boolean running;

  GatewayLifecycle(JDBCService gateway) {
    this.gateway = gateway;
    this.phase =
        gateway
            .source()
            .map(source -> source instanceof SmartLifecycle before ? before.getPhase() - 1 : 0)
            .orElse(0);
  }

  @Override
  public void start() {
    gateway.start();
    running = true;
  }

  @Override
  public void stop() {
    gateway.stop();
    running = false;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return phase;
  }
}
