/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.jdbc.gateway.JDBCService;

/** Stops and restarts a service continuously, like an unstable instance. */
final class Churn {

  private static final long EVERY_MILLIS = 1_000;

  private final JDBCService service;
  private Thread thread;

  Churn(JDBCService service) {
    this.service = service;
  }

  void start() {
    thread =
        Thread.ofPlatform()
            .name("churn")
            .daemon()
            .start(() -> {
              try {
                while (true) {
                  Thread.sleep(EVERY_MILLIS);
                  service.stop();
                  Thread.sleep(EVERY_MILLIS);
                  service.start();
                }
              } catch (InterruptedException e) {
                // end() interrupted it
              }
            });
  }

  /** Ends the loop; the service is started afterwards. */
  void end() throws InterruptedException {
    thread.interrupt();
    thread.join();
    service.stop();
    service.start();
  }
}
