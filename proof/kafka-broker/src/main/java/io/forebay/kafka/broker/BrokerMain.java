/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka.broker;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * The main class of a broker that ends with its parent process, even if the parent is killed: then
 * the pipe to its standard input is closed.
 */
final class BrokerMain {

  private static final long SHUTDOWN_NANOS = 15_000_000_000L;

  private BrokerMain() {}

  public static void main(String[] arguments) throws ReflectiveOperationException {
    Thread.ofPlatform().daemon().name("parent-watch").start(BrokerMain::awaitEndOfParent);
    // Ignore Ctrl-C, which a terminal also sends to this process: the parent needs the broker until
    // its end.
    ignore("INT");
    Class.forName("kafka.Kafka").getMethod("main", String[].class).invoke(null, (Object) arguments);
  }

  /** By reflection, because the compiler warns of each use of {@code sun.misc.Signal}. */
  private static void ignore(String name) throws ReflectiveOperationException {
    Class<?> signal = Class.forName("sun.misc.Signal");
    Class<?> handler = Class.forName("sun.misc.SignalHandler");
    signal
        .getMethod("handle", signal, handler)
        .invoke(
            null,
            signal.getConstructor(String.class).newInstance(name),
            handler.getField("SIG_IGN").get(null));
  }

  private static void awaitEndOfParent() {
    try {
      while (System.in.read() >= 0) {
        // nothing is ever written there
      }
    } catch (IOException e) {
      // treat an error like the end of the input
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
