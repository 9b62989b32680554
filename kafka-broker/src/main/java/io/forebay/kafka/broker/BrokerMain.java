/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka.broker;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import sun.misc.Signal;

/**
 * The main class of a broker that ends with the process that started it, also if that was killed:
 * then the pipe to its input is closed.
 */
final class BrokerMain {

  private static final long SHUTDOWN_NANOS = 15_000_000_000L;

  private BrokerMain() {}

  public static void main(String[] arguments) throws ReflectiveOperationException {
    Thread.ofPlatform().daemon().name("parent-watch").start(BrokerMain::awaitEndOfParent);
    // Ctrl-C in a terminal reaches this process too, and its parent needs it to the end.
    Signal.handle(new Signal("INT"), _ -> {});
    Class.forName("kafka.Kafka").getMethod("main", String[].class).invoke(null, (Object) arguments);
  }

  private static void awaitEndOfParent() {
    try {
      while (System.in.read() >= 0) {
        // nobody writes there
      }
    } catch (IOException e) {
      // as good as its end
    }
    Thread.ofPlatform()
        .daemon()
        .start(() -> {
          LockSupport.parkNanos(SHUTDOWN_NANOS);
          Runtime.getRuntime().halt(1);
        });
    System.exit(0);
  }
}
