/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Free ports of the loopback address. They are below those that the system gives to outgoing
 * connections. Otherwise a connection of any process could take the port of a server that a test
 * starts later, or again.
 */
public final class Ports {

  private static final int FIRST = 12_000;
  private static final int COUNT = 20_000;
  private static final AtomicInteger NEXT =
      new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

  private Ports() {}

  /** A port on which nobody listens, and which this JVM has not been given lately. */
  public static int free() {
    while (true) {
      int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
      try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        return port;
      } catch (IOException _) {
        // a server has it
      }
    }
  }
}
