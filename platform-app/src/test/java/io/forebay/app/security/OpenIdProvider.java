/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app.security;

import io.forebay.testing.ChildProcess;
import io.forebay.testing.Ports;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Spring Authorization Server as a process on loopback ({@code proof/oidc-provider}), with clients
 * that get JWTs for themselves. Each start has another key. For one thread.
 */
final class OpenIdProvider implements AutoCloseable {

  private static final Path MODULE = Path.of("../proof/oidc-provider/target");
  private static final String MAIN = "io.forebay.access.provider.ProviderMain";
  private static final String CLIENT = "--spring.security.oauth2.authorizationserver.client.";

  private static final Pattern CSRF = Pattern.compile("name=\"_csrf\"[^>]* value=\"([^\"]+)\"");

  private final HttpClient http = HttpClient.newHttpClient();
  private final List<String> clients = new ArrayList<>();
  private final int port = Ports.free();
  private @Nullable ChildProcess process;

  String issuer() {
    return "http://127.0.0.1:" + port;
  }

  /** Adds a client, before the start. */
  OpenIdProvider client(String name, String groups, String audience, String lifetime) {
    String client = CLIENT + name + ".";
    clients.addAll(
        List.of(
            client + "registration.client-id=" + name,
            client + "registration.client-secret={noop}secret of " + name,
            client + "registration.client-authentication-methods=client_secret_basic",
            client + "registration.authorization-grant-types=client_credentials",
            client + "registration.scopes=forebay",
            client + "token.access-token-time-to-live=" + lifetime,
            "--provider.%s.groups=%s".formatted(name, groups),
            "--provider.%s.audience=%s".formatted(name, audience)));
    return this;
  }

  /** Adds a client with which users log in, before the start. */
  OpenIdProvider login(String name, String groups, String callback) {
    String client = CLIENT + name + ".";
    clients.addAll(
        List.of(
            client + "registration.client-id=" + name,
            client + "registration.client-secret={noop}secret of " + name,
            client + "registration.client-authentication-methods=client_secret_basic",
            client + "registration.authorization-grant-types=authorization_code",
            client + "registration.redirect-uris=" + callback,
            client + "registration.scopes=openid",
            client + "require-proof-key=true",
            "--provider.%s.groups=%s".formatted(name, groups),
            "--spring.security.user.name=alice",
            "--spring.security.user.password=password of alice"));
    return this;
  }

  /**
   * Logs alice in, as a browser that was sent to the provider; returns the address to which the
   * provider sends it back.
   */
  URI logIn(HttpClient browser, String location) throws IOException, InterruptedException {
    HttpRequest authorize =
        HttpRequest.newBuilder(URI.create(location)).header("Accept", "text/html").build();
    browser.send(authorize, HttpResponse.BodyHandlers.discarding());
    String form =
        browser
            .send(
                HttpRequest.newBuilder(URI.create(issuer() + "/login")).build(),
                HttpResponse.BodyHandlers.ofString())
            .body();
    Matcher csrf = CSRF.matcher(form);
    if (!csrf.find()) {
      throw new IllegalStateException("no form of a login: " + form);
    }
    browser.send(
        HttpRequest.newBuilder(URI.create(issuer() + "/login"))
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "username=alice&password=password+of+alice&_csrf=" + csrf.group(1)))
            .build(),
        HttpResponse.BodyHandlers.discarding());
    return URI.create(
        browser
            .send(authorize, HttpResponse.BodyHandlers.discarding())
            .headers()
            .firstValue("Location")
            .orElseThrow());
  }

  /** Starts it, or starts it again, and waits until it responds. */
  OpenIdProvider start() {
    close();
    try {
      String classes =
          Files.readString(MODULE.resolve("provider.classpath")).strip()
              + File.pathSeparator
              + MODULE.resolve("classes");
      List<String> words =
          new ArrayList<>(
              List.of("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", classes));
      words.addAll(
          List.of(
              MAIN,
              "--server.address=127.0.0.1",
              "--server.port=" + port,
              "--spring.main.banner-mode=off",
              "--spring.security.oauth2.authorizationserver.issuer=" + issuer()));
      words.addAll(clients);
      ChildProcess started =
          ChildProcess.start(ChildProcess.tool("java", words.toArray(String[]::new)));
      process = started;
      started.until(this::responds);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  private boolean responds() {
    try {
      HttpRequest request =
          HttpRequest.newBuilder(URI.create(issuer() + "/.well-known/openid-configuration"))
              .build();
      return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A new JWT for this client. */
  String jwt(String client) throws IOException, InterruptedException {
    String credentials =
        Base64.getEncoder()
            .encodeToString((client + ":secret of " + client).getBytes(StandardCharsets.UTF_8));
    HttpResponse<String> response =
        http.send(
            HttpRequest.newBuilder(URI.create(issuer() + "/oauth2/token"))
                .header("Authorization", "Basic " + credentials)
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(HttpRequest.BodyPublishers.ofString("grant_type=client_credentials"))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    String token =
        JsonMapper.shared().readTree(response.body()).path("access_token").stringValue("");
    if (token.isEmpty()) {
      throw new IllegalStateException("the provider gave no token: " + response.body());
    }
    return token;
  }

  /** Stops it; its port stays free for a start. */
  @Override
  public void close() {
    if (process != null) {
      process.close();
      process = null;
    }
  }
}
