/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access.limits;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The network that an attempt is counted for. A proxy forwards the address of its client with or
 * without a port, and sometimes a text that is no address (RFC 7239 allows {@code unknown} and
 * {@code _name}); none of these is an error.
 */
final class ClientNetwork {

  /**
   * The longest text that is held; a longer one is cut. An IPv6 address with its port is shorter.
   */
  static final int LONGEST = 100;

  private static final int NETWORK_BYTES = 8;
  private static final Pattern BRACKETS = Pattern.compile("\\[([^]]+)](?::\\d*)?");
  private static final Pattern PORT = Pattern.compile("([^:]+):\\d*");

  private ClientNetwork() {}

  /**
   * The first 64 bits of an IPv6 address, because one subscriber has 2^64 of them; an IPv4 address
   * without its port; any other text as it is, up to {@value #LONGEST} characters.
   */
  static String of(String address) {
    String text = address.length() > LONGEST ? address.substring(0, LONGEST) : address;
    Matcher brackets = BRACKETS.matcher(text);
    String host = brackets.matches() ? brackets.group(1) : text;
    Matcher port = PORT.matcher(host);
    if (port.matches()) {
      return port.group(1);
    }
    return host.indexOf(':') < 0 ? host : ofIpv6(host);
  }

  private static String ofIpv6(String host) {
    int zone = host.indexOf('%'); // the name of an interface of the proxy
    InetAddress parsed;
    try {
      parsed = InetAddress.ofLiteral(zone < 0 ? host : host.substring(0, zone));
    } catch (IllegalArgumentException _) {
      return host;
    }
    return parsed instanceof Inet6Address
        ? HexFormat.of().formatHex(Arrays.copyOf(parsed.getAddress(), NETWORK_BYTES))
        : parsed.getHostAddress();
  }
}
