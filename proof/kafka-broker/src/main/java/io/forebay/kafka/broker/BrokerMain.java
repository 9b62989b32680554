/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka.broker;

import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.locks.LockSupport;

/**
 * The main class of a broker that ends with its parent process, even if the parent is killed: then
 * the pipe to its standard input is closed.
 */
final class BrokerMain {

  private static final long SHUTDOWN_NANOS = 15_000_000_000L;

  private BrokerMain() {}

  /**
   * Arguments: the file with its properties and, if its directory is new, the id of the cluster.
   */
  public static void main(String[] arguments) throws ReflectiveOperationException {
    Thread.ofPlatform().daemon().name("parent-watch").start(BrokerMain::awaitEndOfParent);
    // Ignore Ctrl-C, which a terminal also sends to this process: the parent needs the broker until
    // its end.
    ignore("INT");
    if (arguments.length > 1) {
      format(arguments[0], arguments[1]);
    }
    Class.forName("kafka.Kafka")
        .getMethod("main", String[].class)
        .invoke(null, (Object) new String[] {arguments[0]});
  }

  /** In this process: one of its own would take longer to start than to format. */
  private static void format(String properties, String cluster)
      throws ReflectiveOperationException {
    String[] command = {"format", "-t", cluster, "-c", properties};
    Object status =
        Class.forName("kafka.tools.StorageTool")
            .getMethod("execute", String[].class, PrintStream.class)
            .invoke(null, command, System.out);
    if (!status.equals(0)) {
      throw new IllegalStateException("its directory could not be formatted: status " + status);
    }
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
