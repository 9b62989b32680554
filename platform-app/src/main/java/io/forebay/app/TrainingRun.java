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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
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
 * broker or directory is used. {@code train DIRECTORY} extracts the jar before, because the JVM
 * caches no classes of nested jars.
 */
final class TrainingRun {

  private static final int FAILED = 2;

  /**
   * From about 5,000 requests on, the methods of their path have profiles of the second compiler,
   * with which a later start compiles them at once.
   */
  private static final int STATEMENTS_PER_CALLER = 200;

  private static final int CALLERS = 32;
  private static final long PATIENCE_SECONDS = 60;
  private static final String CACHE = "forebay.aot";
  private static final String USAGE =
      """
      train needs a directory that is empty or does not exist:
        java -jar forebay.jar train DIR
      It extracts the jar there and creates an AOT cache beside it, for the options of java that are given.
      In an extracted jar it only trains:
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
    if (arguments.length == 2 && !isExtracted()) {
      return extractAndTrain(Path.of(arguments[1]).toAbsolutePath().normalize());
    }
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

  private static boolean canWriteCache() {
    return isExtracted() && options().stream().anyMatch(it -> it.startsWith("-XX:AOT"));
  }

  private static boolean isExtracted() {
    return TrainingRun.class.getClassLoader() == ClassLoader.getSystemClassLoader();
  }

  /** The options of this JVM, also those of environment variables. */
  private static List<String> options() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments();
  }

  /**
   * The paths are absolute: the JVM compares the path of the jar with that of the training run, and
   * uses no cache if it was given in another way.
   */
  private static int extractAndTrain(Path directory) {
    Path packed = Path.of(System.getProperty("java.class.path")).toAbsolutePath();
    Path jar = directory.resolve(packed.getFileName());
    Path cache = directory.resolve(CACHE);
    try {
      if (Files.exists(directory) && !isEmpty(directory)) {
        System.err.printf("Nothing extracted: %s is not empty%n%s", directory, USAGE);
        return FAILED;
      }
      java(
          List.of(
              "-Djarmode=tools",
              "-jar",
              packed.toString(),
              "extract",
              "--destination",
              directory.toString()));
      List<String> training = new ArrayList<>(options());
      training.addAll(
          List.of(
              "-XX:AOTCacheOutput=" + cache, "-Xlog:aot=error", "-jar", jar.toString(), "train"));
      java(training);
      if (!Files.exists(cache)) {
        throw new IOException("the JVM wrote no cache; its output says why");
      }
    } catch (IOException e) {
      System.err.println("The training run failed: " + e.getMessage());
      return FAILED;
    }
    List<String> start = new ArrayList<>(List.of("java"));
    start.addAll(options());
    start.addAll(List.of("-XX:AOTCache=" + cache, "-jar", jar.toString()));
    System.out.println("Start the service with: " + String.join(" ", start));
    return 0;
  }

  private static boolean isEmpty(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.findAny().isEmpty();
    }
  }

  /** Runs the java of this process; its options are those given here alone. */
  private static void java(List<String> arguments) throws IOException {
    ProcessBuilder java =
        new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString())
            .inheritIO();
    java.command().addAll(arguments);
    java.environment().keySet().removeAll(List.of("JDK_JAVA_OPTIONS", "JAVA_TOOL_OPTIONS"));
    try {
      int status = java.start().waitFor();
      if (status != 0) {
        throw new IOException("a child process ended with status " + status);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
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
    sendStatements();
    for (String path :
        List.of(
            "/actuator/health/readiness", "/actuator/prometheus", "/api/v1/status", "/admin/")) {
      send(request(path));
    }
  }

  /** Many callers at the same time, as under load: some wait for the result, most do not. */
  private void sendStatements() throws IOException {
    List<Future<?>> callers = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < CALLERS; i++) {
        String wait = i % 4 == 0 ? "?wait=10s" : "";
        callers.add(threads.submit(() -> sendStatements(wait)));
      }
    }
    for (Future<?> caller : callers) {
      if (caller.state() == Future.State.FAILED) {
        throw new IOException(caller.exceptionNow().getMessage(), caller.exceptionNow());
      }
    }
  }

  private Void sendStatements(String wait) throws IOException {
    for (int i = 0; i < STATEMENTS_PER_CALLER; i++) {
      send(
          request("/api/v1/statements/notes.add" + wait)
              .POST(BodyPublishers.ofString("{\"text\": \"a note\"}"))
              .header("Content-Type", "application/json"));
    }
    return null;
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
