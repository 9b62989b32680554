/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.AbstractProtocol;

/** How many connections the server accepts, if {@code server.tomcat.max-connections} is not set. */
final class Connections {

  /** A connection with a request takes about 140 KB. */
  private static final int HEAP_FOR_EACH = 256 << 10;

  /** What the rest of the service takes at least. */
  private static final int HEAP_FOR_OTHERS = 64 << 20;

  private static final int MOST = 8_192;
  private static final int LEAST = 64;

  private Connections() {}

  static void limit(Connector connector) {
    if (connector.getProtocolHandler() instanceof AbstractProtocol<?> protocol) {
      protocol.setMaxConnections(most(Runtime.getRuntime().maxMemory(), files()));
    }
  }

  /**
   * Returns a number that leaves almost half of the heap and half of the files to others.
   *
   * @param files how many files the process may have open
   */
  static int most(long heap, long files) {
    return (int)
        Math.clamp(Math.min((heap - HEAP_FOR_OTHERS) / HEAP_FOR_EACH, files / 2), LEAST, MOST);
  }

  private static long files() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? unix.getMaxFileDescriptorCount()
        : Long.MAX_VALUE;
  }
}
