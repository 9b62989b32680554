/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.operations.SelfCheck;
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
final class Transport implements SelfCheck {

  private final TransportProperties allowed;
  private final List<Port> ports = new ArrayList<>();

  Transport(TransportProperties allowed, ServerProperties server, Environment environment) {
    this.allowed = allowed;
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
    return allowed.behindTls();
  }

  /** Whether the configuration alone lets other hosts connect without TLS. */
  boolean isPlain() {
    return ports.stream().anyMatch(this::isPlain);
  }

  private boolean isPlain(Port port) {
    return !port.encrypted() && !port.isLocal() && !allowed.behindTls();
  }

  /** Called before any port is opened. */
  void check() {
    if (allowed.allowPlainHttp()) {
      return;
    }
    for (Port port : ports) {
      if (isPlain(port)) {
        throw new StartRefused(
            ("Plain HTTP refused: without TLS on %s (%s.address), tokens and data would cross the"
                    + " network in plain text; set %s.ssl.bundle, or %s.address=127.0.0.1, or"
                    + " forebay.security.behind-tls=true if a proxy encrypts all connections, or"
                    + " forebay.security.allow-plain-http=true if plain text is acceptable"
                    + " (docs/security.md)")
                .formatted(port.shown(), port.properties(), port.properties(), port.properties()));
      }
    }
  }

  @Override
  public List<Result> run() {
    return ports.stream().map(this::result).toList();
  }

  private Result result(Port port) {
    String check = port.properties().equals("server") ? "TLS of the door" : "TLS of the actuator";
    if (port.encrypted()) {
      return new Result(check, State.OK, "this process encrypts, on " + port.shown());
    }
    if (allowed.behindTls()) {
      return new Result(
          check,
          State.OK,
          "a proxy encrypts (forebay.security.behind-tls), in front of " + port.shown());
    }
    return port.isLocal()
        ? new Result(check, State.OK, "only this host can connect, to " + port.shown())
        : new Result(
            check,
            State.WARN,
            "none on %s (forebay.security.allow-plain-http): tokens and data cross the network in plain text, unless only this host can reach the port"
                .formatted(port.shown()),
            Harm.ACCESS,
            "Set %s.ssl.bundle, or %s.address to 127.0.0.1 behind a proxy that encrypts."
                .formatted(port.properties(), port.properties()));
  }
}
