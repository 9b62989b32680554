/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import io.forebay.access.Passwords;
import io.forebay.access.Users;
import io.forebay.operations.StartRefused;
import io.forebay.system.StoredUser;
import io.forebay.testing.ChildProcess;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.logging.logback.StructuredLogEncoder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@ExtendWith(OutputCaptureExtension.class)
class TlsTest {

  private static final String WARNING = "not encrypted";

  @TempDir Path directory;

  private ConfigurableApplicationContext start(String... arguments) {
    return new SpringApplicationBuilder(Forebay.class)
        .properties("forebay.backend=memory", "forebay.data=" + directory.resolve("data"))
        .run(arguments);
  }

  private Path makeAKey() {
    Path store = directory.resolve("door.p12");
    ChildProcess.run(
        ChildProcess.tool(
            "keytool",
            "-genkeypair",
            "-alias",
            "door",
            "-keyalg",
            "EC",
            "-dname",
            "CN=door",
            "-ext",
            "san=ip:127.0.0.1",
            "-storetype",
            "PKCS12",
            "-keystore",
            store.toString(),
            "-storepass",
            "changeit"));
    return store;
  }

  private static SSLContext trusting(Path store) throws Exception {
    KeyStore keys = KeyStore.getInstance("PKCS12");
    try (var in = Files.newInputStream(store)) {
      keys.load(in, "changeit".toCharArray());
    }
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("door", keys.getCertificate("door"));
    TrustManagerFactory managers =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    managers.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return context;
  }

  @Test
  void overTlsBrowsersGetStrictTransportSecurity(CapturedOutput output) throws Exception {
    Path store = makeAKey();
    try (ConfigurableApplicationContext service =
            start(
                "--server.port=0",
                "--server.ssl.bundle=door",
                "--spring.ssl.bundle.jks.door.keystore.location=file:" + store,
                "--spring.ssl.bundle.jks.door.keystore.password=changeit");
        HttpClient client = HttpClient.newBuilder().sslContext(trusting(store)).build()) {
      String door =
          "https://127.0.0.1:" + service.getEnvironment().getProperty("local.server.port");
      assertThat(output).contains("Forebay is ready: " + door);
      for (String path : new String[] {"/actuator/health/liveness", "/nothing", "/a;b"}) {
        HttpResponse<String> answer =
            client.send(
                HttpRequest.newBuilder(URI.create(door + path)).build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.headers().allValues("Strict-Transport-Security"))
            .as(path)
            .containsExactly("max-age=63072000");
      }
    }
  }

  @Test
  void aNetworkAddressWithoutTlsIsRefusedBeforeAnythingIsOpened() {
    for (String[] arguments :
        new String[][] {
          {"--server.address=0.0.0.0"},
          {"--server.address="},
          {"--server.address=::"},
          {"--management.server.port=0"},
          {"--management.server.port=0", "--forebay.security.plain-http=refused"},
        }) {
      List<String> all = new ArrayList<>(List.of(arguments));
      all.add("--server.port=0");
      assertThatThrownBy(() -> start(all.toArray(String[]::new)).close())
          .as(all.toString())
          .rootCause()
          .isInstanceOf(StartRefused.class)
          .hasMessageStartingWith("Plain HTTP refused: ")
          .hasMessageContaining("forebay.security.plain-http=behind-tls");
      assertThat(directory.resolve("data")).doesNotExist();
    }
  }

  @Test
  void plainHttpOnANetworkAddressCanBeAllowed(CapturedOutput output) throws Exception {
    try (ConfigurableApplicationContext service =
        start(
            "--server.port=0",
            "--server.address=0.0.0.0",
            "--forebay.security.plain-http=allowed")) {
      assertThat(output)
          .contains("Connections are not encrypted: server.address is 0.0.0.0;")
          .contains("Forebay is ready: http://localhost:");
    }
  }

  /** Writes lines as {@code logging.structured.format.file=ecs} does. */
  private static OutputStreamAppender<ILoggingEvent> ecs(
      LoggerContext context, ConfigurableApplicationContext service, OutputStream to) {
    context.putObject(Environment.class.getName(), service.getEnvironment());
    StructuredLogEncoder encoder = new StructuredLogEncoder();
    encoder.setContext(context);
    encoder.setFormat("ecs");
    encoder.start();
    OutputStreamAppender<ILoggingEvent> lines = new OutputStreamAppender<>();
    lines.setContext(context);
    lines.setEncoder(encoder);
    lines.setOutputStream(to);
    lines.start();
    return lines;
  }

  private static int me(HttpClient client, URI login, String cookie) throws Exception {
    return client
        .send(
            HttpRequest.newBuilder(login.resolve("me")).header("Cookie", cookie).build(),
            HttpResponse.BodyHandlers.ofString())
        .statusCode();
  }

  /** Spring Boot would trust the headers of every private address in a pod. */
  @Test
  void forwardedHeadersAreNotTrustedInAPodUnlessTheyAreAskedFor() throws Exception {
    assertThat(trustsForwardedHeaders()).isFalse();
    assertThat(trustsForwardedHeaders("--server.forward-headers-strategy=native")).isTrue();
  }

  private boolean trustsForwardedHeaders(String... more) throws Exception {
    List<String> arguments = new ArrayList<>(List.of(more));
    arguments.addAll(List.of("--server.port=0", "--spring.main.cloud-platform=kubernetes"));
    try (ConfigurableApplicationContext service = start(arguments.toArray(String[]::new));
        HttpClient client = HttpClient.newHttpClient()) {
      String port = service.getEnvironment().getRequiredProperty("local.server.port");
      HttpRequest forwarded =
          HttpRequest.newBuilder(
                  URI.create("http://127.0.0.1:" + port + "/actuator/health/liveness"))
              .header("X-Forwarded-Proto", "https")
              .build();
      return client
          .send(forwarded, HttpResponse.BodyHandlers.ofString())
          .headers()
          .firstValue("Strict-Transport-Security")
          .isPresent();
    }
  }

  @Test
  void behindAProxyThatEncryptsConnectionsCountAsEncrypted(CapturedOutput output) throws Exception {
    try (ConfigurableApplicationContext service =
            start(
                "--server.port=0",
                "--server.address=0.0.0.0",
                "--forebay.security.plain-http=behind-tls");
        HttpClient client = HttpClient.newHttpClient()) {
      assertThat(output).doesNotContain(WARNING);
      service
          .getBean(Users.class)
          .add(
              new StoredUser(
                  "olga",
                  service.getBean(Passwords.class).encode("a password of mine"),
                  "viewer",
                  false,
                  "test",
                  Instant.EPOCH,
                  List.of()));
      URI login =
          URI.create(
              "http://127.0.0.1:%s/admin/api/v1/login"
                  .formatted(service.getEnvironment().getProperty("local.server.port")));
      ByteArrayOutputStream written = new ByteArrayOutputStream();
      Logger audit = (Logger) LoggerFactory.getLogger("io.forebay.audit");
      OutputStreamAppender<ILoggingEvent> lines = ecs(audit.getLoggerContext(), service, written);
      audit.addAppender(lines);
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(login)
                  .header("Content-Type", "application/x-www-form-urlencoded")
                  .header("Cookie", "forebay-xsrf=x")
                  .header("X-XSRF-TOKEN", "x")
                  .POST(
                      HttpRequest.BodyPublishers.ofString("user=olga&password=a+password+of+mine"))
                  .build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().allValues("Strict-Transport-Security"))
          .containsExactly("max-age=63072000");
      assertThat(answer.headers().allValues("Set-Cookie"))
          .allMatch(cookie -> cookie.contains("; Secure"))
          .anyMatch(cookie ->
              cookie.matches(
                  "__Host-forebay-session=[A-Za-z0-9%_-]+; Path=/; Secure; HttpOnly; SameSite=Strict"))
          .anyMatch(cookie -> cookie.matches("forebay-xsrf=.+; SameSite=Strict"));
      String session =
          answer.headers().allValues("Set-Cookie").stream()
              .filter(cookie -> cookie.startsWith("__Host-"))
              .map(cookie -> cookie.substring(0, cookie.indexOf(';')))
              .findFirst()
              .orElseThrow();
      assertThat(me(client, login, session)).isEqualTo(200);
      assertThat(me(client, login, session.substring("__Host-".length())))
          .as("a cookie that a page of another host may have set")
          .isEqualTo(401);
      audit.detachAppender(lines);
      JsonNode line = JsonMapper.shared().readTree(written.toString(StandardCharsets.UTF_8));
      assertThat(line.path("log").path("logger").stringValue()).isEqualTo("io.forebay.audit");
      assertThat(line.path("audit").propertyNames())
          .as("the fields that docs/security.md describes")
          .containsExactly(
              "number", "at", "kind", "actor", "role", "address", "action", "target", "reason",
              "outcome");
      assertThat(line.path("audit").path("action").stringValue()).isEqualTo("session.login");
      assertThat(line.path("audit").path("kind").stringValue()).isEqualTo("user");
    }
  }
}
