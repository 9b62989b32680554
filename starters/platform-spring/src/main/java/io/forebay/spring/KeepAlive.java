/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * Keeps a process without a web server running after its main method has ended, until the
 * application is closed. The threads of services cannot: they are daemons.
 */
final class KeepAlive implements SmartLifecycle {

  private final boolean needed;
  private @Nullable CountDownLatch closed;

  /**
   * @param needed false if the process has nothing to do after its main method
   */
  KeepAlive(boolean needed) {
    this.needed = needed;
  }

  @Override
  public synchronized void start() {
    if (needed && closed == null) {
      CountDownLatch end = new CountDownLatch(1);
      closed = end;
      Thread.ofPlatform().daemon(false).name("forebay-keep-alive").start(() -> await(end));
    }
  }

  private static void await(CountDownLatch end) {
    try {
      end.await();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt(); // whoever interrupts it wants its end
    }
  }

  @Override
  public synchronized void stop() {
    if (closed != null) {
      closed.countDown();
      closed = null;
    }
  }

  /** Stops last: until then something may still have to be finished. */
  @Override
  public int getPhase() {
    return Integer.MIN_VALUE;
  }

  @Override
  public synchronized boolean isRunning() {
    return closed != null;
  }
}
