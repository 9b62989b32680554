/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * Runs a command that starts the service and writes an AOT cache at its end: waits until the service
 * is ready, sends statements so that the cache also knows which methods are hot, and stops it.
 * Arguments: the data directory, and the command.
 */
final class Training {

  private static final int STATEMENTS = 2_000;
  private static final URI SERVICE = URI.create("http://127.0.0.1:8080");
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /** SIGTERM ends a JVM with this status. */
  private static final int STOPPED = 143;

  private Training() {}

  static void main(String[] arguments) throws Exception {
    Path credentials = Path.of(arguments[0], "admin-credentials");
    List<String> command = List.of(arguments).subList(1, arguments.length);
    Process service = new ProcessBuilder(command).inheritIO().start();
    try (HttpClient http = HttpClient.newHttpClient()) {
      awaitReady(http, service);
      String token =
          Files.readAllLines(credentials).stream()
              .filter(line -> line.startsWith("TOKEN="))
              .findFirst()
              .orElseThrow()
              .substring("TOKEN=".length());
      HttpRequest statement =
          request("/api/v1/statements/notes.add?wait=5s")
              .header("Authorization", "Bearer " + token)
              .header("Content-Type", "application/json")
              .POST(BodyPublishers.ofString("{\"text\": \"training\"}"))
              .build();
      for (int i = 0; i < STATEMENTS; i++) {
        if (http.send(statement, BodyHandlers.discarding()).statusCode() != 200) {
          throw new IllegalStateException("statement " + i + " was not performed");
        }
      }
    } finally {
      service.destroy();
    }
    int status = service.waitFor();
    if (status != STOPPED) {
      throw new IllegalStateException("the service ended with status " + status);
    }
  }

  private static void awaitReady(HttpClient http, Process service) throws Exception {
    HttpRequest readiness = request("/actuator/health/readiness").build();
    long begin = System.nanoTime();
    while (true) {
      try {
        if (http.send(readiness, BodyHandlers.discarding()).statusCode() == 200) {
          return;
        }
      } catch (IOException e) {
        // it does not listen yet
      }
      if (!service.isAlive() || System.nanoTime() - begin > PATIENCE.toNanos()) {
        throw new IllegalStateException("the service did not start");
      }
      Thread.sleep(100);
    }
  }

  private static HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(SERVICE.resolve(path)).timeout(PATIENCE);
  }
}
