/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.access.AdminPasswordMade;
import io.forebay.access.AdminTokenMade;
import io.forebay.access.CredentialsShown;
import java.io.PrintStream;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.boot.web.server.servlet.context.ServletWebServerInitializedEvent;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * Prints the addresses of the HTTP door and the admin page and, once, a newly made token and
 * password. Not through a logger, since neither may get into log files.
 */
@Component
final class StartOutput {

  private static final Logger log = LoggerFactory.getLogger(StartOutput.class);

  private final PrintStream console = System.out;
  private final ServerProperties server;
  private final Environment environment;
  private final ApplicationEventPublisher events;
  private final StartedServices startedServices;
  private final List<Supplier<String>> made = new ArrayList<>();
  private boolean tokenMade;
  private int port;
  private boolean ready;

  StartOutput(
      ServerProperties server,
      Environment environment,
      ApplicationEventPublisher events,
      StartedServices startedServices) {
    this.server = server;
    this.environment = environment;
    this.events = events;
    this.startedServices = startedServices;
  }

  @EventListener
  synchronized void listening(ServletWebServerInitializedEvent event) {
    if (event.getApplicationContext().getServerNamespace() == null) {
      port = event.getWebServer().getPort();
    }
  }

  /**
   * Prints a new token. If the system database is unavailable, the first token comes after
   * everything else.
   */
  @EventListener
  synchronized void made(AdminTokenMade token) {
    tokenMade = true;
    print(() -> text(token));
  }

  @EventListener
  synchronized void made(AdminPasswordMade password) {
    print(() -> text(password));
  }

  /** Prints once the address of the door is known, which is when the application is ready. */
  private void print(Supplier<String> text) {
    if (ready) {
      console.println(text.get());
      shown();
    } else {
      made.add(text);
    }
  }

  @EventListener
  synchronized void ready(ApplicationReadyEvent event) {
    ready = true;
    StringBuilder text = new StringBuilder("\n").append(headline()).append('\n');
    text.append("The admin page:   ").append(door()).append("/admin/\n");
    made.forEach(part -> text.append(part.get()));
    if (!tokenMade) {
      text.append("An administrator creates tokens: POST ")
          .append(door())
          .append(
              """
              /api/v1/tokens
              (if the administrator's token is lost, start once with --forebay.security.new-admin-token=true)
              """);
    }
    made.clear();
    console.println(text);
    shown();
    warnOfPlainText();
  }

  /** The first line. A service that performs nothing must not be reported as ready. */
  private String headline() {
    List<String> failed = startedServices.failed();
    return failed.isEmpty()
        ? "Forebay is ready: " + door()
        : "Forebay has started, but needs an operator: %s\n\n    %s\n"
            .formatted(door(), String.join("\n    ", failed));
  }

  /** Records that the credentials were printed, so that no new ones are made after a kill. */
  private void shown() {
    console.flush();
    events.publishEvent(new CredentialsShown());
  }

  private String text(AdminTokenMade made) {
    return """

    %s, shown only once and stored nowhere:

        %s

    %s

        %s
    """
        .formatted(
            made.first()
                ? "The token of the administrator"
                : "A new administrator token, named " + made.name(),
            made.token(),
            Welcome.isOn(environment) ? "Send a statement:" : "List the statements:",
            curl(made.token()));
  }

  private static String text(AdminPasswordMade made) {
    return """

    The password of user %s for the admin page, shown only once, must be changed at the first login:

        %s
    """
        .formatted(made.user(), made.password());
  }

  private String curl(String token) {
    String request =
        Welcome.isOn(environment)
            ? "/api/v1/statements/notes.add?wait=5s' -H 'Content-Type: application/json' -d '{\"text\":\"hello\"}'"
            : "/api/v1/statements'";
    return "curl -sS -H 'Authorization: Bearer " + token + "' '" + door() + request;
  }

  private String door() {
    InetAddress address = server.getAddress();
    String host =
        address == null || address.isAnyLocalAddress() ? "localhost" : address.getHostAddress();
    String path = server.getServlet().getContextPath();
    return (isEncrypted() ? "https://" : "http://")
        + (host.contains(":") ? "[" + host + "]" : host)
        + ":"
        + port
        + (path == null ? "" : path);
  }

  private boolean isEncrypted() {
    return server.getSsl() != null && server.getSsl().isEnabled();
  }

  private void warnOfPlainText() {
    @Nullable InetAddress address = server.getAddress();
    if (!isEncrypted() && (address == null || !address.isLoopbackAddress())) {
      log.warn(
          "the HTTP door listens on {} without TLS, so tokens and data cross the network in plain text;"
              + " set server.ssl.bundle, or server.address to 127.0.0.1 behind a proxy that encrypts"
              + " (docs/security.md)",
          address == null ? "all addresses" : address.getHostAddress());
    }
  }
}
