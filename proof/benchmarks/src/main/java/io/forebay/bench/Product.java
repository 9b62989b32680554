/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The product in its own process, started from its executable jar, with the benchmark's endpoints
 * added.
 */
final class Product implements AutoCloseable {

  private static final Duration LONGEST_START = Duration.ofMinutes(5);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final Pattern HEAP = Pattern.compile("\"(\\w+)\":(\\d+)");
  private static final Pattern TOKEN = Pattern.compile("TOKEN=(fb_[A-Za-z0-9_-]{43})");
  private static final String HEAP_MAX = "512m";
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java").toString();

  private static final int LOG_LINES = 40;
  private static final long LONGEST_STOP_SECONDS = 90;

  private final Testbed testbed;
  private final List<String> command;
  private final Path log;
  private final int port;
  private final HttpClient client = HttpClient.newHttpClient();
  private final double secondsToReady;
  private final String token;
  private Process process;

  /** The settings: its database, and the catalogue with the statement that inserts an order. */
  private static Map<String, String> settings(String url, Path catalogue) {
    Map<String, String> settings = new LinkedHashMap<>();
    String gateway = "forebay.gateways.main.";
    settings.put(gateway + "datasource.url", url);
    settings.put(gateway + "datasource.username", Postgres.GATEWAY);
    settings.put(gateway + "datasource.password", "unused");
    settings.put(gateway + "owner.url", url);
    settings.put(gateway + "owner.username", Postgres.OWNER);
    settings.put(gateway + "owner.password", "unused");
    settings.put("forebay.door.catalogue", "file:" + catalogue);
    settings.put("forebay.chronicle.level", "disk");
    settings.put("bench.database.url", url);
    settings.put("bench.database.username", Postgres.GATEWAY);
    return settings;
  }

  private Product(Testbed testbed, List<String> command, Path log, int port)
      throws IOException, InterruptedException {
    this.testbed = testbed;
    this.command = command;
    this.log = log;
    this.port = port;
    long start = System.nanoTime();
    process = launch();
    try {
      secondsToReady = awaitReady(start);
      token = token(log);
    } catch (IOException | RuntimeException e) {
      process.destroyForcibly();
      throw e;
    }
  }

  private Process launch() throws IOException {
    return testbed.start(
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()));
  }

  private double awaitReady(long start) throws IOException, InterruptedException {
    while (status(client, port, "/actuator/health/readiness") != 200) {
      if (!process.isAlive() || System.nanoTime() - start > LONGEST_START.toNanos()) {
        throw new IllegalStateException(
            "the product is not ready after %d s; the end of its log:%n%s"
                .formatted((System.nanoTime() - start) / 1_000_000_000, endOf(log)));
      }
      Thread.sleep(POLL);
    }
    return (System.nanoTime() - start) / 1e9;
  }

  /**
   * The executable jar: from option {@code server}, or the build's default location relative to
   * this program.
   *
   * @throws UsageError if it does not exist
   */
  static Path jar(Options options) {
    Path module = Path.of(EndpointsJar.location()).getParent().getParent();
    Path jar =
        options
            .text("server")
            .map(Path::of)
            .orElse(
                module.getParent().resolveSibling("platform-app").resolve("target/forebay.jar"));
    if (!Files.isRegularFile(jar)) {
      throw new UsageError(
          "the product's jar is not at %s; build it or name it with --server".formatted(jar));
    }
    return jar;
  }

  /**
   * Starts it on an empty data directory and waits until it is ready.
   *
   * @param jar the product's executable jar
   * @param jvmOptions additional JVM options
   * @param url the URL of its PostgreSQL
   * @param more additional settings
   * @throws IllegalStateException if it ends or is not ready in time
   */
  static Product start(
      Testbed testbed, Path jar, List<String> jvmOptions, String url, Map<String, String> more)
      throws IOException, InterruptedException {
    Path folder = testbed.newFolder("product");
    Path endpoints = folder.resolve("endpoints.jar");
    EndpointsJar.write(endpoints);
    Path catalogue = folder.resolve("orders.yaml");
    copy("orders.yaml", catalogue);
    int port = freePort();
    List<String> command =
        Testbed.java("-Xmx" + HEAP_MAX, "-cp", jar.toString(), "-Dloader.path=" + endpoints);
    command.addAll(jvmOptions);
    command.add("org.springframework.boot.loader.launch.PropertiesLauncher");
    command.add("--server.port=" + port);
    command.add("--spring.profiles.active=chronicle");
    command.add("--forebay.data=" + folder.resolve("data"));
    more.forEach((name, value) -> command.add("--" + name + "=" + value));
    settings(url, catalogue).forEach((name, value) -> command.add("--" + name + "=" + value));
    return new Product(testbed, command, folder.resolve("log"), port);
  }

  /**
   * Starts it on embedded defaults, with orders in a table of the embedded database and four
   * partitions.
   *
   * @param name of its folder
   * @param java the options of java, with the jar
   */
  static Product embedded(Testbed testbed, String name, List<String> java)
      throws IOException, InterruptedException {
    Path folder = testbed.newFolder(name);
    Path migrations = Files.createDirectory(folder.resolve("migrations"));
    copy("orders.yaml", folder.resolve("orders.yaml"));
    copy("orders.sql", migrations.resolve("V1__orders.sql"));
    int port = freePort();
    List<String> command = new ArrayList<>(List.of(JAVA));
    command.addAll(java);
    command.addAll(
        List.of(
            "--server.port=" + port,
            "--forebay.data=" + folder.resolve("data"),
            "--forebay.gateways.main.partitions=4",
            "--forebay.gateways.main.migrations=filesystem:" + migrations,
            "--forebay.door.catalogue=file:" + folder.resolve("orders.yaml")));
    return new Product(testbed, command, folder.resolve("log"), port);
  }

  /** What a training run is used for. */
  interface Use {
    void of(Product training) throws Exception;
  }

  /**
   * Extracts the jar, and creates its AOT cache in a run that is used and stopped; returns the
   * options of java to start it.
   */
  static List<String> train(Testbed testbed, Path jar, Use use) throws Exception {
    Path folder = testbed.newFolder("trained");
    Path extracted = folder.resolve("jar");
    Path cache = folder.resolve("forebay.aot");
    Path forebay = extracted.resolve(jar.getFileName());
    java(
        testbed,
        "-Djarmode=tools",
        "-jar",
        jar.toString(),
        "extract",
        "--destination",
        extracted.toString());
    try (Product training =
        embedded(
            testbed,
            "training",
            List.of("-XX:AOTCacheOutput=" + cache, "-jar", forebay.toString()))) {
      use.of(training);
    }
    return List.of("-XX:AOTCache=" + cache, "-jar", forebay.toString());
  }

  private static void java(Testbed testbed, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(JAVA));
    command.addAll(List.of(arguments));
    Process process = testbed.start(new ProcessBuilder(command).redirectErrorStream(true));
    try (BufferedReader output = process.inputReader()) {
      List<String> lines = output.readAllLines();
      if (process.waitFor() != 0) {
        throw new IllegalStateException(
            "the jar was not extracted:%n%s".formatted(String.join(System.lineSeparator(), lines)));
      }
    }
  }

  private static void copy(String resource, Path file) throws IOException {
    try (InputStream in = Product.class.getResourceAsStream(resource)) {
      Files.write(file, Objects.requireNonNull(in).readAllBytes());
    }
  }

  /**
   * Starts it again on its data and its port after its end, and waits until it is ready.
   *
   * @return the seconds from the start of the process to the first answer of the readiness check
   */
  double startAgain() throws IOException, InterruptedException {
    long start = System.nanoTime();
    process = launch();
    return awaitReady(start);
  }

  /** The token, which the first start writes to a file. */
  private static String token(Path log) throws IOException, InterruptedException {
    Path file = log.resolveSibling("data").resolve("admin-credentials");
    long start = System.nanoTime();
    while (true) {
      Matcher matcher = TOKEN.matcher(Files.exists(file) ? Files.readString(file) : "");
      if (matcher.find()) {
        return matcher.group(1);
      }
      if (System.nanoTime() - start > LONGEST_START.toNanos()) {
        throw new IllegalStateException(
            "the product has made no token; the end of its log:%n%s".formatted(endOf(log)));
      }
      Thread.sleep(POLL);
    }
  }

  private static String endOf(Path log) throws IOException {
    List<String> lines =
        Files.readAllLines(log).stream().filter(it -> !it.startsWith("\tat ")).toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static int status(HttpClient client, int port, String path)
      throws IOException, InterruptedException {
    try {
      return client.send(request(port, path).build(), BodyHandlers.discarding()).statusCode();
    } catch (ConnectException e) {
      return 0;
    }
  }

  private static HttpRequest.Builder request(int port, String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
  }

  int port() {
    return port;
  }

  /** The token of an administrator who may send every statement. */
  String token() {
    return token;
  }

  /** The time from the start of the process to the first answer of the readiness check. */
  double secondsToReady() {
    return secondsToReady;
  }

  /** The last lines of its output. */
  String endOfLog() throws IOException {
    return endOf(log);
  }

  /**
   * CPU seconds of the process since its start; NaN if the system does not report them.
   *
   * @throws IllegalStateException if the process has ended
   */
  double cpuSeconds() throws IOException {
    if (!process.isAlive()) {
      throw new IllegalStateException(
          "the product has ended; the end of its log:%n%s".formatted(endOfLog()));
    }
    return process.info().totalCpuDuration().map(it -> it.toNanos() / 1e9).orElse(Double.NaN);
  }

  /** The resident memory of the process; empty if the system does not report it. */
  OptionalLong residentBytes() throws IOException {
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    if (!Files.exists(status)) {
      return OptionalLong.empty();
    }
    return Files.readAllLines(status).stream()
        .filter(it -> it.startsWith("VmRSS:"))
        .mapToLong(it -> 1024 * Long.parseLong(it.replaceAll("\\D", "")))
        .findFirst();
  }

  /** The heap after a collection: {@code usedBytes} and {@code committedBytes}. */
  Map<String, Long> heap() throws IOException, InterruptedException {
    HttpResponse<String> answer =
        client.send(
            request(port, "/bench/heap").header("Authorization", "Bearer " + token).build(),
            BodyHandlers.ofString());
    if (answer.statusCode() != 200) {
      throw new IllegalStateException(
          "the heap size is unavailable: status " + answer.statusCode());
    }
    Map<String, Long> heap = new TreeMap<>();
    HEAP.matcher(answer.body())
        .results()
        .forEach(it -> heap.put(it.group(1), Long.valueOf(it.group(2))));
    return heap;
  }

  @Override
  public void close() throws InterruptedException {
    stop();
    client.close();
  }

  /** Kills it (SIGKILL) after a time; {@link #startAgain} starts it again. */
  void killAfter(double seconds) {
    LockSupport.parkNanos((long) (seconds * 1e9));
    process.toHandle().destroyForcibly();
    process.onExit().join();
  }

  /** Stops it as an operator would. */
  void stop() throws InterruptedException {
    // Process.destroy would also close its input, and then it would end immediately.
    process.toHandle().destroy();
    if (!process.waitFor(LONGEST_STOP_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IllegalStateException(
          "the product did not end within %d s and was killed".formatted(LONGEST_STOP_SECONDS));
    }
  }
}
