/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.jdbc.spring;

import io.forebay.jdbc.gateway.JDBCService;
import java.util.List;
import org.springframework.context.SmartLifecycle;

/**
 * Starts the gateways before the web server and stops them after it. One that performs the answers
 * of a service may be running already: the service starts it before itself.
 */
final class GatewayLifecycle implements SmartLifecycle {

  private final List<JDBCService> gateways;
  private volatile boolean running;

  GatewayLifecycle(List<JDBCService> gateways) {
    this.gateways = gateways;
  }

  @Override
  public void start() {
    gateways.stream().filter(gateway -> !gateway.isRunning()).forEach(JDBCService::start);
    running = true;
  }

  @Override
  public void stop() {
    gateways.forEach(JDBCService::stop);
    running = false;
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return 0;
  }
}
