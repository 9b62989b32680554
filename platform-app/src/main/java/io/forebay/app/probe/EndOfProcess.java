/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.probe;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Interrupts the thread that created it when the process gets SIGTERM or Ctrl-C, and keeps the
 * process until that thread has closed it.
 */
final class EndOfProcess implements AutoCloseable {

  private static final long PATIENCE_SECONDS = 60;

  private final CountDownLatch closed = new CountDownLatch(1);
  private final Thread hook;
  private volatile boolean begun;

  EndOfProcess() {
    Thread worker = Thread.currentThread();
    hook =
        new Thread(() -> {
          begun = true;
          worker.interrupt();
          try {
            closed.await(PATIENCE_SECONDS, TimeUnit.SECONDS);
          } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
          }
        });
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Whether the process got SIGTERM or Ctrl-C. */
  boolean hasBegun() {
    return begun;
  }

  @Override
  public void close() {
    closed.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      // the process ends
    }
  }
}
