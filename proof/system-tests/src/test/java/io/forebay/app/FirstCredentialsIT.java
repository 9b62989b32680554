/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.machine.CrashPoint;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A first start and the next one are killed when they have stored credentials that are not shown
 * yet.
 */
@Tag("proof")
class FirstCredentialsIT {

  @TempDir Path directory;
  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void theNextStartShowsValidCredentialsAndTheOneAfterItNone() throws Exception {
    Path data = directory.resolve("data");
    killAt("token-stored", data);
    killAt("password-stored", data);
    String token;
    String password;
    try (ForebayProcess forebay = ForebayProcess.start(data)) {
      String address = forebay.address();
      token = forebay.token();
      password = forebay.password();
      assertThat(status(address, token)).isEqualTo(200);
      assertThat(login(address, password)).isEqualTo(200);
      assertThat(forebay.credentials()).content().containsOnlyOnce(token);
      Files.delete(forebay.credentials());
    }
    assertNowhere(data, List.of(token, password));
    try (ForebayProcess forebay = ForebayProcess.start(data)) {
      String address = forebay.address();
      assertThat(status(address, token)).as("it is still the same").isEqualTo(200);
      assertThat(login(address, password)).isEqualTo(200);
      assertThat(forebay.output())
          .contains(
              "Forebay is ready: http://127.0.0.1:",
              "/api/v1/tokens",
              "/admin/",
              "new-admin-token=")
          .doesNotContain("fb_", "The password of user");
    }
  }

  private static void killAt(String point, Path data) throws Exception {
    try (ForebayProcess forebay =
        ForebayProcess.start(
            Armed.class, data, "--forebay.backend=memory", "--crash-point=" + point)) {
      forebay.process().awaitEnd(137);
      assertThat(forebay.output()).doesNotContain("fb_", "The password of user");
    }
  }

  /** Forebay with a crash point set in code, since no property sets one. */
  static final class Armed {

    public static void main(String[] args) {
      String point = args[args.length - 1].replace("--crash-point=", "");
      System.setProperty("forebay.crash-point", point);
      CrashPoint.hit("armed");
      System.clearProperty("forebay.crash-point");
      Forebay.main(args);
    }
  }

  /** Neither is in any other file in a readable form. */
  private static void assertNowhere(Path data, List<String> secrets) throws Exception {
    try (Stream<Path> files = Files.walk(data)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        String content = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        assertThat(secrets).as("%s", file).noneMatch(content::contains);
      }
    }
  }

  private int status(String address, String token) throws Exception {
    return http.send(
            HttpRequest.newBuilder(URI.create("http://" + address + "/api/v1/tokens"))
                .header("Authorization", "Bearer " + token)
                .build(),
            BodyHandlers.discarding())
        .statusCode();
  }

  private int login(String address, String password) throws Exception {
    return http.send(
            HttpRequest.newBuilder(URI.create("http://" + address + "/admin/api/v1/login"))
                .header("Content-Type", "application/json")
                .POST(
                    HttpRequest.BodyPublishers.ofString(
                        "{\"user\":\"admin\",\"password\":\"%s\"}".formatted(password)))
                .build(),
            BodyHandlers.discarding())
        .statusCode();
  }
}
