/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of an in-queue are deleted between two starts. */
@Tag("proof")
class FailedStartIT {

  @TempDir Path directory;
  private final HttpClient http = HttpClient.newHttpClient();

  @Test
  void aStartWhoseServiceFailsIsNotReportedAsReady() throws Exception {
    Path data = directory.resolve("data");
    String token;
    try (ForebayProcess forebay = ForebayProcess.start(data)) {
      assertThat(post(forebay.address(), forebay.token())).contains("\"done\"");
      await().until(() -> forebay.output().contains("Forebay is ready: http://"));
      token = forebay.token();
    }
    try (Stream<Path> files = Files.walk(data.resolve("queues"))) {
      for (Path file :
          files
              .filter(each -> each.toString().contains("main.in"))
              .filter(each -> each.toString().endsWith(".cq4"))
              .toList()) {
        Files.delete(file);
      }
    }
    try (ForebayProcess forebay = ForebayProcess.start(data)) {
      assertThat(get(forebay.address(), token)).contains("\"state\":\"failed\"");
      await().until(() -> forebay.output().contains("The admin page:"));
      assertThat(forebay.output())
          .contains(
              "Forebay has started, but needs an operator: http://", "Service main has failed")
          .doesNotContain("Forebay is ready");
    }
  }

  private String post(String address, String token) throws Exception {
    return send(
        request(address, token, "/api/v1/statements/notes.add?wait=30s")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{\"text\":\"hello\"}")));
  }

  private String get(String address, String token) throws Exception {
    return send(request(address, token, "/api/v1/status"));
  }

  private String send(HttpRequest.Builder request) throws Exception {
    HttpResponse<String> response = http.send(request.build(), BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return response.body();
  }

  private static HttpRequest.Builder request(String address, String token, String path) {
    return HttpRequest.newBuilder(URI.create("http://" + address + path))
        .header("Authorization", "Bearer " + token);
  }
}
