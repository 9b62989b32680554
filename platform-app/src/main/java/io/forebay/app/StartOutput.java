/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.access.FirstAccess;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/** What the service prints when it is ready. */
@Component
final class StartOutput {

  private static final Logger log = LoggerFactory.getLogger(StartOutput.class);

  private final Transport transport;
  private final Environment environment;
  private final ServerProperties server;
  private final StartedServices startedServices;
  private final Path credentials;

  StartOutput(
      Transport transport,
      Environment environment,
      ServerProperties server,
      StartedServices startedServices,
      FirstAccess first) {
    this.transport = transport;
    this.environment = environment;
    this.server = server;
    this.startedServices = startedServices;
    this.credentials = first.file();
  }

  @EventListener(ApplicationReadyEvent.class)
  void print() {
    String address = address();
    System.out.println(
        """

        %s
        The admin page:   %s/admin/
        %s\
        """
            .formatted(
                headline(address),
                address,
                Files.exists(credentials) ? firstSteps(address) : tokens(address)));
  }

  /** A service that performs nothing must not be reported as ready. */
  private String headline(String address) {
    List<String> failed = startedServices.failed();
    return failed.isEmpty()
        ? "Forebay is ready: " + address
        : "Forebay has started, but needs an operator: %s\n\n    %s\n"
            .formatted(address, String.join("\n    ", failed));
  }

  private String firstSteps(String address) {
    return """

    A token for %d hours and the password of user admin are in the file %s;
    delete it when you have read it. %s:

        . '%s'
        curl -sS -H "Authorization: Bearer $TOKEN" '%s%s
    """
        .formatted(
            FirstAccess.VALID.toHours(),
            credentials,
            Welcome.isOn(environment) ? "Send a statement" : "List the statements",
            credentials.toString().replace("'", "'\\''"),
            address,
            Welcome.request(environment));
  }

  private static String tokens(String address) {
    return """
    An administrator creates tokens: POST %s/api/v1/tokens
    (if the administrator's token is lost, start once with --forebay.security.new-admin-token=$(date +%%F))
    """
        .formatted(address);
  }

  private String address() {
    InetAddress bound = server.getAddress();
    String host = bound == null || bound.isAnyLocalAddress() ? "localhost" : bound.getHostAddress();
    boolean isEncrypted = server.getSsl() != null && server.getSsl().isEnabled();
    return "%s://%s:%s%s"
        .formatted(
            isEncrypted ? "https" : "http",
            host.contains(":") ? "[" + host + "]" : host,
            environment.getProperty("local.server.port"),
            Objects.requireNonNullElse(server.getServlet().getContextPath(), ""));
  }

  @EventListener(ApplicationReadyEvent.class)
  void warnOfPlainText() {
    if (transport.isPlain()) {
      log.warn(
          "Connections are not encrypted: {}; set server.ssl.bundle, or server.address to 127.0.0.1"
              + " behind a proxy that encrypts (docs/security.md)",
          transport.plainPorts());
    }
  }
}
