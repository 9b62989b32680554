/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.access.AdminTokenMade;
import io.forebay.app.command.Configured;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.util.FileSystemUtils;
import org.springframework.web.context.support.StandardServletEnvironment;

/**
 * {@code train}: starts the service on embedded defaults in a temporary directory, sends it some
 * requests, and ends. The JVM then writes the AOT cache that {@code -XX:AOTCacheOutput} names,
 * which later starts use. The configuration of this machine does not apply: no other database,
 * broker or directory is used.
 */
final class TrainingRun {

  private static final int FAILED = 2;
  private static final int STATEMENTS = 50;
  private static final long PATIENCE_SECONDS = 60;
  private static final String USAGE =
      """
      train needs the extracted jar and the option -XX:AOTCacheOutput:
        java -Djarmode=tools -jar forebay.jar extract --destination DIR
        cd DIR
        java -XX:AOTCacheOutput=forebay.aot -jar forebay.jar train
      """;

  private final HttpClient client;
  private final String address;
  private final String token;

  private TrainingRun(HttpClient client, String address, String token) {
    this.client = client;
    this.address = address;
    this.token = token;
  }

  /** Whether the arguments of the process are for this command. */
  static boolean isMeant(String[] arguments) {
    return arguments.length > 0 && arguments[0].equals("train");
  }

  /**
   * Performs the command.
   *
   * @return the exit status
   */
  static int run(String[] arguments) {
    if (arguments.length > 1 || !canWriteCache()) {
      System.err.print(USAGE);
      return FAILED;
    }
    try {
      Path data = Files.createTempDirectory("forebay-train-");
      PrintStream console = System.out;
      // A token and a password, which are void afterwards, must not get into the log of a build.
      System.setOut(new PrintStream(OutputStream.nullOutputStream()));
      try {
        train(data);
      } finally {
        System.setOut(console);
        FileSystemUtils.deleteRecursively(data);
      }
    } catch (IOException | RuntimeException e) {
      System.err.println("The training run failed: " + Configured.reason(e));
      return FAILED;
    }
    System.out.println("Trained; the JVM writes the cache now");
    return 0;
  }

  /** The JVM caches only classes that its own class loader has loaded, and none of nested jars. */
  private static boolean canWriteCache() {
    return TrainingRun.class.getClassLoader() == ClassLoader.getSystemClassLoader()
        && ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .anyMatch(it -> it.startsWith("-XX:AOT"));
  }

  private static void train(Path data) throws IOException {
    CompletableFuture<String> token = new CompletableFuture<>();
    SpringApplication application = new SpringApplication(Forebay.class);
    application.setEnvironment(withoutVariables());
    application.addListeners(new FirstToken(token));
    try (ConfigurableApplicationContext forebay =
            application.run(
                "--spring.config.location=classpath:/",
                "--forebay.data=" + data,
                "--forebay.backend=chronicle",
                "--server.port=0");
        HttpClient client = HttpClient.newHttpClient()) {
      new TrainingRun(
              client,
              "http://127.0.0.1:" + forebay.getEnvironment().getProperty("local.server.port"),
              token.orTimeout(PATIENCE_SECONDS, TimeUnit.SECONDS).join())
          .sendRequests();
    }
  }

  private static StandardServletEnvironment withoutVariables() {
    StandardServletEnvironment environment = new StandardServletEnvironment();
    String variables = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
    environment
        .getPropertySources()
        .replace(variables, new SystemEnvironmentPropertySource(variables, Map.of()));
    return environment;
  }

  /** The token of the first start. */
  private record FirstToken(CompletableFuture<String> token)
      implements ApplicationListener<PayloadApplicationEvent<AdminTokenMade>> {

    @Override
    public void onApplicationEvent(PayloadApplicationEvent<AdminTokenMade> event) {
      token.complete(event.getPayload().token());
    }
  }

  private void sendRequests() throws IOException {
    for (int i = 0; i < STATEMENTS; i++) {
      String wait = i % 2 == 0 ? "" : "?wait=10s";
      send(
          request("/api/v1/statements/notes.add" + wait)
              .POST(BodyPublishers.ofString("{\"text\": \"a note\"}"))
              .header("Content-Type", "application/json"));
    }
    for (String path :
        List.of(
            "/actuator/health/readiness", "/actuator/prometheus", "/api/v1/status", "/admin/")) {
      send(request(path));
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(address + path))
        .header("Authorization", "Bearer " + token);
  }

  private void send(HttpRequest.Builder builder) throws IOException {
    HttpRequest request = builder.build();
    int status = client.sendAsync(request, BodyHandlers.discarding()).join().statusCode();
    if (status / 100 != 2) {
      throw new IOException("%s answered %d".formatted(request.uri(), status));
    }
  }
}
