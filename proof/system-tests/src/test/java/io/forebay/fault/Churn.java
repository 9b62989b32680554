/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.fault;

import io.forebay.jdbc.gateway.JDBCService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Stops and restarts a service continuously, like an unstable instance. */
final class Churn {

  private static final long EVERY_MILLIS = 1_000;

  private final JDBCService service;
  private CountDownLatch ending;
  private Thread thread;

  Churn(JDBCService service) {
    this.service = service;
  }

  void start() {
    ending = new CountDownLatch(1);
    thread =
        Thread.ofPlatform()
            .name("churn")
            .daemon()
            .start(() -> {
              try {
                while (!ending.await(EVERY_MILLIS, TimeUnit.MILLISECONDS)) {
                  service.stop();
                  Thread.sleep(EVERY_MILLIS);
                  service.start();
                }
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
            });
  }

  /** Ends the loop; the service is started afterwards. */
  void end() throws InterruptedException {
    ending.countDown();
    thread.join();
    service.stop();
    service.start();
  }
}
