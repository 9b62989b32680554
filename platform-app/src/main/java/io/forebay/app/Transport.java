/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static java.util.stream.Collectors.joining;

import io.forebay.app.TransportProperties.PlainHttp;
import io.forebay.operations.StartRefused;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementPortType;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Whether callers reach this process over TLS, its own or that of a proxy in front of it. A port
 * that other hosts can reach without it is refused, unless the configuration allows that.
 */
@Component
final class Transport {

  private final PlainHttp plainHttp;
  private final List<Port> ports = new ArrayList<>();

  Transport(TransportProperties properties, ServerProperties server, Environment environment) {
    plainHttp = properties.plainHttp();
    ports.add(new Port("server", server.getAddress(), Ssl.isEnabled(server.getSsl())));
    if (ManagementPortType.get(environment) == ManagementPortType.DIFFERENT) {
      ManagementServerProperties management =
          Binder.get(environment)
              .bindOrCreate("management.server", ManagementServerProperties.class);
      ports.add(
          new Port(
              "management.server", management.getAddress(), Ssl.isEnabled(management.getSsl())));
    }
  }

  /**
   * @param properties how the names of its properties begin
   * @param address null for all addresses
   */
  private record Port(String properties, @Nullable InetAddress address, boolean encrypted) {

    boolean isLocal() {
      return address != null && address.isLoopbackAddress();
    }

    String shown() {
      return address == null ? "all addresses" : address.getHostAddress();
    }
  }

  boolean isBehindTls() {
    return plainHttp == PlainHttp.BEHIND_TLS;
  }

  /** Whether the configuration alone lets other hosts connect without TLS. */
  boolean isPlain() {
    return ports.stream().anyMatch(this::isPlain);
  }

  private boolean isPlain(Port port) {
    return !port.encrypted() && !port.isLocal() && !isBehindTls();
  }

  /** Called before any port is opened. */
  void check() {
    if (plainHttp == PlainHttp.ALLOWED) {
      return;
    }
    for (Port port : ports) {
      if (isPlain(port)) {
        throw new StartRefused(
            ("Plain HTTP refused: without TLS on %s (%s.address), tokens and data would cross the"
                    + " network in plain text; set %s.ssl.bundle, or %s.address=127.0.0.1, or"
                    + " forebay.security.plain-http=behind-tls if a proxy encrypts all connections, or"
                    + " forebay.security.plain-http=allowed if plain text is acceptable"
                    + " (docs/security.md)")
                .formatted(port.shown(), port.properties(), port.properties(), port.properties()));
      }
    }
  }

  /** The ports that other hosts can reach without TLS, for the log. */
  String plainPorts() {
    return ports.stream()
        .filter(this::isPlain)
        .map(it -> "%s.address is %s".formatted(it.properties(), it.shown()))
        .collect(joining(", "));
  }
}
