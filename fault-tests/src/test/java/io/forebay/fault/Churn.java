/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.jdbc.JDBCService;

/** Has a service stop and begin again all the time, as an instance that cannot make up its mind. */
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
                // it is to be steady from now on
              }
            });
  }

  /** Afterwards the service is started. */
  void end() throws InterruptedException {
    thread.interrupt();
    thread.join();
    service.stop();
    service.start();
  }
}
