/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.access;

import java.io.Console;
import java.io.PrintStream;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
 * Prints the address of the admin page and, once, a newly made token and password, if a person
 * reads the output on a terminal. Otherwise the output is the log of a container or a system
 * service: then it names a file that has them.
 */
public final class CredentialsOutput {

  private static final Logger log = LoggerFactory.getLogger(CredentialsOutput.class);

  private final PrintStream console = System.out;
  private final ServerProperties server;
  private final ApplicationEventPublisher events;
  private final @Nullable StartText around;
  private final @Nullable CredentialsFile file;
  private final List<Supplier<String>> made = new ArrayList<>();
  private boolean tokenMade;
  private final Set<String> unwritten = new HashSet<>();
  private int port;
  private boolean ready;

  /**
   * @param around null for an application that prints nothing else
   * @param file for new credentials; null to print them
   */
  public CredentialsOutput(
      ServerProperties server,
      ApplicationEventPublisher events,
      @Nullable StartText around,
      @Nullable CredentialsFile file) {
    this.file = file;
    this.server = server;
    this.events = events;
    this.around = around;
  }

  /** Whether a person reads the output of this process and can type. */
  public static boolean isTerminal() {
    Console console = System.console();
    return console != null && console.isTerminal();
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
    write(CredentialsFile.TOKEN, token.token());
    print(() -> text(token));
  }

  @EventListener
  synchronized void made(AdminPasswordMade password) {
    write(CredentialsFile.PASSWORD, password.password());
    print(() -> text(password));
  }

  private void write(String name, String value) {
    if (file != null) {
      unwritten.add(name);
      file.set(name, value);
      unwritten.remove(name);
    }
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
              (if the administrator's token is lost, start once with --forebay.security.new-admin-token=$(date +%F))
              """);
    }
    made.clear();
    console.println(text);
    shown();
  }

  /**
   * Records that the credentials were shown, so that no new ones are made after a kill. Not if one
   * could not be written to the file: if the process ends before that succeeds, the next start
   * replaces all.
   */
  private void shown() {
    console.flush();
    if (unwritten.isEmpty()) {
      events.publishEvent(new CredentialsShown());
    }
  }

  private String text(AdminTokenMade made) {
    String what =
        made.first()
            ? "The token of the administrator"
            : "A new administrator token, named " + made.name();
    return """

    %s, valid for %d hours, %s:

        %s

    %s:

        %s
    """
        .formatted(
            what,
            FirstAccess.VALID.toHours(),
            file == null ? "shown only once and stored nowhere" : "is TOKEN in the file",
            file == null ? made.token() : file.path(),
            around == null ? "List the services" : around.exampleTitle(),
            curl(made.token(), around == null ? "/api/v1/status'" : around.exampleRequest()));
  }

  private String text(AdminPasswordMade made) {
    return """

    The password of user %s for the admin page. It must be changed at the first login (%s):

        %s
    """
        .formatted(
            made.user(),
            file == null ? "shown only once" : "PASSWORD in the file",
            file == null ? made.password() : file.path() + " (delete it when you have read it)");
  }

  /** The command, which reads the token from the file if there is one. */
  private String curl(String token, String request) {
    String header =
        file == null
            ? "'Authorization: Bearer " + token + "'"
            : "\"Authorization: Bearer $(sed -n 's/^TOKEN=//p' '%s')\""
                .formatted(file.path().toString().replace("'", "'\\''"));
    return "curl -sS -H " + header + " '" + address() + request;
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
