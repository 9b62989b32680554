/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

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

/**
 * Prints the address of the admin page and, once, a newly made token and password. Not through a
 * logger, since neither may get into log files.
 */
public final class CredentialsOutput {

  private static final Logger log = LoggerFactory.getLogger(CredentialsOutput.class);

  private final PrintStream console = System.out;
  private final ServerProperties server;
  private final ApplicationEventPublisher events;
  private final @Nullable StartText around;
  private final List<Supplier<String>> made = new ArrayList<>();
  private boolean tokenMade;
  private int port;
  private boolean ready;

  /**
   * @param around null for an application that prints nothing else
   */
  public CredentialsOutput(
      ServerProperties server, ApplicationEventPublisher events, @Nullable StartText around) {
    this.server = server;
    this.events = events;
    this.around = around;
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

  /** Prints once the address of the server is known, which is when the application is ready. */
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
    if (around == null && made.isEmpty()) {
      log.info("The admin page: {}/admin/", address());
      return;
    }
    StringBuilder text = new StringBuilder("\n");
    if (around != null) {
      text.append(around.headline(address())).append('\n');
    }
    text.append("The admin page:   ").append(address()).append("/admin/\n");
    made.forEach(part -> text.append(part.get()));
    if (!tokenMade) {
      text.append("An administrator creates tokens: POST ")
          .append(address())
          .append(
              """
              /api/v1/tokens
              (if the administrator's token is lost, start once with --forebay.security.new-admin-token=true)
              """);
    }
    made.clear();
    console.println(text);
    shown();
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

    %s:

        %s
    """
        .formatted(
            made.first()
                ? "The token of the administrator"
                : "A new administrator token, named " + made.name(),
            made.token(),
            around == null ? "List the services" : around.exampleTitle(),
            curl(made.token(), around == null ? "/api/v1/status'" : around.exampleRequest()));
  }

  private static String text(AdminPasswordMade made) {
    return """

    The password of user %s for the admin page, shown only once, must be changed at the first login:

        %s
    """
        .formatted(made.user(), made.password());
  }

  private String curl(String token, String request) {
    return "curl -sS -H 'Authorization: Bearer " + token + "' '" + address() + request;
  }

  private String address() {
    InetAddress address = server.getAddress();
    String host =
        address == null || address.isAnyLocalAddress() ? "localhost" : address.getHostAddress();
    String path = server.getServlet().getContextPath();
    boolean encrypted = server.getSsl() != null && server.getSsl().isEnabled();
    return (encrypted ? "https://" : "http://")
        + (host.contains(":") ? "[" + host + "]" : host)
        + ":"
        + port
        + (path == null ? "" : path);
  }
}
