/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** A contender in its own process; all have the same heap size. */
final class SinkProcess implements AutoCloseable {

  private static final String HEAP = "1g";
  private static final int LOG_LINES = 30;
  private static final long STOP_SECONDS = 20;

  /** The largest batch of both. */
  static final int BATCH = 5_000;

  private final Process process;
  private final Path log;

  private SinkProcess(Process process, Path log) {
    this.process = process;
    this.log = log;
  }

  static SinkProcess forebay(
      Testbed testbed,
      Path folder,
      List<String> jvmOptions,
      SinkContender contender,
      Map<String, String> place)
      throws IOException {
    List<String> command = Testbed.java("-Xms" + HEAP, "-Xmx" + HEAP);
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.add(SinkService.COMMAND);
    place.forEach((name, value) -> command.addAll(List.of("--" + name, value)));
    command.addAll(List.of("--results", contender.results(), "--batch", Integer.toString(BATCH)));
    return start(testbed, folder, command);
  }

  /**
   * Starts a standalone Kafka Connect worker with one connector and one task.
   *
   * @param classPath a file with the class path of both
   */
  static SinkProcess connect(
      Testbed testbed, Path folder, Path classPath, String bootstrap, String topic, String url)
      throws IOException {
    Path worker = write(folder.resolve("worker.properties"), worker(folder, bootstrap));
    Path connector = write(folder.resolve("connector.properties"), connector(topic, url));
    Path logging =
        write(
            folder.resolve("log4j2.properties"),
            Map.of(
                "appender.out.type", "Console",
                "appender.out.name", "out",
                "appender.out.layout.type", "PatternLayout",
                "appender.out.layout.pattern", "%d %p %c %m%n",
                "rootLogger.level", "warn",
                "rootLogger.appenderRef.out.ref", "out"));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(
        List.of(
            "-Xms" + HEAP,
            "-Xmx" + HEAP,
            "-Dlog4j2.configurationFile=" + logging,
            "-cp",
            Files.readString(classPath).strip(),
            "org.apache.kafka.connect.cli.ConnectStandalone",
            worker.toString(),
            connector.toString()));
    return start(testbed, folder, command);
  }

  private static Map<String, String> worker(Path folder, String bootstrap) throws IOException {
    Map<String, String> settings = new TreeMap<>();
    settings.put("bootstrap.servers", bootstrap);
    settings.put("listeners", "http://127.0.0.1:" + freePort());
    settings.put("offset.storage.file.filename", folder.resolve("offsets").toString());
    settings.put("key.converter", "org.apache.kafka.connect.converters.ByteArrayConverter");
    settings.put("value.converter", "org.apache.kafka.connect.json.JsonConverter");
    settings.put("value.converter.schemas.enable", "true");
    settings.put("value.converter.schema.content", JsonFeed.schema());
    return settings;
  }

  /** The fastest settings for PostgreSQL in its documentation. */
  static Map<String, String> connector(String topic, String url) {
    Map<String, String> settings = new TreeMap<>();
    settings.put("name", "sink");
    settings.put("connector.class", "io.debezium.connector.jdbc.JdbcSinkConnector");
    settings.put("tasks.max", "1");
    settings.put("topics", topic);
    settings.put("connection.url", url + "?reWriteBatchedInserts=true");
    settings.put("connection.username", Postgres.OWNER);
    settings.put("connection.password", "unused");
    settings.put("insert.mode", "insert");
    settings.put("primary.key.mode", "none");
    settings.put("schema.evolution", "none");
    settings.put("dialect.postgres.unnest.insert.enabled", "true");
    settings.put("collection.name.format", "orders");
    settings.put("batch.size", Integer.toString(BATCH));
    settings.put("consumer.override.max.poll.records", Integer.toString(BATCH));
    return settings;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private static Path write(Path file, Map<String, String> settings) throws IOException {
    List<String> lines = new ArrayList<>();
    settings.forEach((name, value) -> lines.add(name + "=" + value));
    return Files.write(file, lines);
  }

  private static SinkProcess start(Testbed testbed, Path folder, List<String> command)
      throws IOException {
    Path log = folder.resolve("log");
    Process process =
        testbed.start(
            new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()));
    return new SinkProcess(process, log);
  }

  /**
   * @throws IllegalStateException if it has ended; the message contains the end of its log
   */
  void mustLive() throws IOException {
    if (!process.isAlive()) {
      throw broken("ended with status " + process.exitValue());
    }
  }

  IllegalStateException broken(String how) throws IOException {
    List<String> lines = Files.readAllLines(log);
    return new IllegalStateException(
        "the contender's process %s; the end of its log:%n%s"
            .formatted(
                how,
                String.join(
                    "\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()))));
  }

  double cpuSeconds() {
    return cpuSeconds(process.toHandle());
  }

  /** CPU seconds of a process since its start; NaN if the system does not report them. */
  static double cpuSeconds(ProcessHandle process) {
    return process.info().totalCpuDuration().map(it -> it.toNanos() / 1e9).orElse(Double.NaN);
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
