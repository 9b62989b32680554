/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The service in its own process, started from its executable jar. */
final class Product implements AutoCloseable {

  /** The path of the door to which orders are sent. */
  static final String DOOR = "/api/v1/statements/orders.insert";

  private static final Duration LONGEST_START = Duration.ofMinutes(5);
  private static final Duration POLL = Duration.ofMillis(20);
  private static final Pattern TOKEN = Pattern.compile("TOKEN=(fb_[A-Za-z0-9_-]{43})");

  private final Testbed testbed;
  private final Path folder;
  private final List<String> command;
  private final int port;
  private final HttpClient client = HttpClient.newHttpClient();
  private final String token;
  private Child child;

  private Product(Testbed testbed, Path folder, List<String> java, Map<String, String> settings)
      throws IOException, InterruptedException {
    this.testbed = testbed;
    this.folder = folder;
    port = Testbed.freePort();
    command = new ArrayList<>(java);
    command.add("--server.port=" + port);
    command.add("--forebay.data=" + folder.resolve("data"));
    command.add("--forebay.door.catalogue=file:" + copy("orders.yaml", folder));
    settings.forEach((name, value) -> command.add("--" + name + "=" + value));
    start();
    token = readToken();
  }

  /**
   * The executable jar: from option {@code server}, or the build's default location relative to
   * this program.
   *
   * @throws UsageError if it does not exist
   */
  static Path jar(Options options) {
    Path jar =
        options
            .text("server")
            .map(Path::of)
            .orElse(EndpointsJar.module().resolve("../../platform-app/target/forebay.jar"))
            .normalize();
    if (!Files.isRegularFile(jar)) {
      throw new UsageError(
          "the product's jar is not at %s; build it or name it with --server".formatted(jar));
    }
    return jar.toAbsolutePath();
  }

  /**
   * Starts it on an empty data directory, with the endpoints of the benchmarks, and with a gateway
   * to a PostgreSQL.
   *
   * @param jvmOptions additional JVM options
   * @param url the URL of its database
   * @param more additional settings
   */
  static Product onPostgres(
      Testbed testbed, Path jar, List<String> jvmOptions, String url, Map<String, String> more)
      throws IOException, InterruptedException {
    Path folder = testbed.newFolder("product");
    Path endpoints = folder.resolve("endpoints.jar");
    EndpointsJar.write(endpoints);
    List<String> java =
        Testbed.java("-Xmx512m", "-cp", jar.toString(), "-Dloader.path=" + endpoints);
    java.addAll(jvmOptions);
    java.add("org.springframework.boot.loader.launch.PropertiesLauncher");
    Map<String, String> settings = new LinkedHashMap<>(more);
    settings.put("spring.profiles.active", "chronicle");
    settings.put("forebay.chronicle.level", "disk");
    settings.put("forebay.gateways.main.datasource.url", url);
    settings.put("forebay.gateways.main.datasource.username", Postgres.GATEWAY);
    settings.put("forebay.gateways.main.datasource.password", "unused");
    settings.put("forebay.gateways.main.owner.url", url);
    settings.put("forebay.gateways.main.owner.username", Postgres.OWNER);
    settings.put("forebay.gateways.main.owner.password", "unused");
    settings.put("bench.database.url", url);
    settings.put("bench.database.username", Postgres.GATEWAY);
    return new Product(testbed, folder, java, settings);
  }

  /**
   * Starts it on embedded defaults, with orders in a table of the embedded database and four
   * partitions.
   *
   * @param name of its folder
   * @param options of java, with the jar
   */
  static Product embedded(Testbed testbed, String name, List<String> options)
      throws IOException, InterruptedException {
    Path folder = testbed.newFolder(name);
    Path migrations = Files.createDirectory(folder.resolve("migrations"));
    Files.move(copy("orders.sql", folder), migrations.resolve("V1__orders.sql"));
    List<String> java = new ArrayList<>(List.of(Testbed.JAVA));
    java.addAll(options);
    return new Product(
        testbed,
        folder,
        java,
        Map.of(
            "forebay.gateways.main.partitions",
            "4",
            "forebay.gateways.main.migrations",
            "filesystem:" + migrations));
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
    Path cache = folder.resolve("forebay.aot");
    List<String> extract =
        List.of(Testbed.JAVA, "-Djarmode=tools", "-jar", jar.toString(), "extract");
    extract = Stream.concat(extract.stream(), Stream.of("--destination", folder + "/jar")).toList();
    Child extracting = new Child(testbed, extract, folder.resolve("log"));
    if (extracting.await() != 0) {
      throw extracting.broken("did not extract the jar");
    }
    String extracted = folder.resolve("jar").resolve(jar.getFileName()).toString();
    try (Product training =
        embedded(testbed, "training", List.of("-XX:AOTCacheOutput=" + cache, "-jar", extracted))) {
      use.of(training);
    }
    return List.of("-XX:AOTCache=" + cache, "-jar", extracted);
  }

  private static Path copy(String resource, Path folder) throws IOException {
    try (InputStream in = Product.class.getResourceAsStream(resource)) {
      return Files.write(
          folder.resolve(resource), Objects.requireNonNull(in, resource).readAllBytes());
    }
  }

  /**
   * Starts it on its data and its port, and waits until it is ready.
   *
   * @return the seconds from the start of the process to the first answer of the readiness check
   */
  double start() throws IOException, InterruptedException {
    long start = System.nanoTime();
    child = new Child(testbed, command, folder.resolve("log"));
    while (!isReady()) {
      child.mustLive();
      if (System.nanoTime() - start > LONGEST_START.toNanos()) {
        throw child.broken("is not ready after " + LONGEST_START);
      }
      Thread.sleep(POLL);
    }
    return (System.nanoTime() - start) / 1e9;
  }

  private boolean isReady() throws IOException, InterruptedException {
    URI check = URI.create("http://127.0.0.1:" + port + "/actuator/health/readiness");
    try {
      HttpRequest request = HttpRequest.newBuilder(check).build();
      return client.send(request, BodyHandlers.discarding()).statusCode() == 200;
    } catch (ConnectException e) {
      return false;
    }
  }

  /** The token, which the first start writes to a file. */
  private String readToken() throws IOException, InterruptedException {
    Path file = folder.resolve("data").resolve("admin-credentials");
    long start = System.nanoTime();
    while (true) {
      Matcher matcher = TOKEN.matcher(Files.exists(file) ? Files.readString(file) : "");
      if (matcher.find()) {
        return matcher.group(1);
      }
      if (System.nanoTime() - start > LONGEST_START.toNanos()) {
        throw child.broken("has made no token");
      }
      Thread.sleep(POLL);
    }
  }

  int port() {
    return port;
  }

  /** The token of an administrator who may send every statement. */
  String token() {
    return token;
  }

  /** Orders of a run of the benchmark. */
  LoadRequest orders(String path, long run) {
    return new LoadRequest(port, path, token, run);
  }

  /** CPU seconds of the process since its start. */
  double cpuSeconds() throws IOException {
    return child.cpuSeconds();
  }

  /** The failure to throw, with the end of its output. */
  IllegalStateException broken(String how) throws IOException {
    return child.broken(how);
  }

  /** Stops it; {@link #start} starts it again. */
  void stop() throws InterruptedException {
    child.close();
  }

  @Override
  public void close() throws InterruptedException {
    stop();
    client.close();
  }
}
