/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.operations;

import java.net.InetAddress;

/** Tells from the text of an address whether a connection to it stays on this host. */
public final class Loopback {

  private Loopback() {}

  /**
   * Whether a host is {@code localhost} or an address such as 127.0.0.1 or ::1, with or without
   * brackets. Other names are not resolved and count as another host; so does a malformed text.
   */
  public static boolean isHost(String host) {
    if (host.equalsIgnoreCase("localhost")) {
      return true;
    }
    boolean brackets = host.startsWith("[") && host.endsWith("]");
    try {
      return InetAddress.ofLiteral(brackets ? host.substring(1, host.length() - 1) : host)
          .isLoopbackAddress();
    } catch (IllegalArgumentException _) {
      return false;
    }
  }
}
