/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.kafka.broker;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A broker as a child process on loopback only: a single one, which is its own controller, or one
 * that has joined it. Its data stay in its directory, so it can be killed and restarted. For one
 * thread.
 */
public final class BrokerProcess implements AutoCloseable {

  /** Any id: the cluster meets no other. */
  private static final String CLUSTER = "4L6g3nShT-eMCtK--X86sw";

  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /** JVM options for little memory and a quick start. */
  private static final List<String> SMALL =
      List.of("-Xms64m", "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

  /** For a broker on its own, whose groups react within seconds. */
  static final Map<String, String> SETTINGS = settings();

  private final String classPath;
  private final List<String> jvmOptions;
  private final Path directory;
  private final Map<String, String> properties;
  private final int port;
  private @Nullable Process process;

  private BrokerProcess(
      String classPath,
      List<String> jvmOptions,
      Path directory,
      int port,
      Map<String, String> properties) {
    this.classPath = classPath;
    this.jvmOptions = jvmOptions;
    this.directory = directory;
    this.port = port;
    this.properties = properties;
  }

  /**
   * Starts a broker and waits until it listens.
   *
   * @param classPath a file with the class path of the broker, as written by this module's build
   * @param directory for its data and its log; existing data is used
   * @param port the port on which it listens; 0 for a free one
   * @param more properties of the broker, which override those set here
   * @throws IllegalStateException if it ends, or does not listen within three minutes; the message
   *     contains the end of its log
   */
  public static BrokerProcess start(
      Path classPath, Path directory, int port, Map<String, String> more) {
    return start(classPath, directory, port, more, SMALL);
  }

  /** Like {@link #start(Path, Path, int, Map)}, with JVM options for the broker. */
  public static BrokerProcess start(
      Path classPath, Path directory, int port, Map<String, String> more, List<String> jvmOptions) {
    try {
      int own = port == 0 ? freePort(0) : port;
      Map<String, String> properties = properties(directory, own, freePort(own));
      properties.putAll(more);
      return start(
          Files.readString(classPath).strip() + File.pathSeparator + ownClasses(),
          jvmOptions,
          directory,
          own,
          properties);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static BrokerProcess start(
      String classPath,
      List<String> jvmOptions,
      Path directory,
      int port,
      Map<String, String> properties)
      throws IOException {
    Files.createDirectories(directory);
    BrokerProcess broker = new BrokerProcess(classPath, jvmOptions, directory, port, properties);
    broker.configure();
    broker.restart();
    return broker;
  }

  /**
   * Starts a second broker, with node id 2, which joins the cluster of this one and waits until it
   * listens. This one remains the controller.
   *
   * @param other the directory of the second broker
   */
  public BrokerProcess join(Path other) {
    try {
      int own = freePort(0);
      Map<String, String> joining = new TreeMap<>(properties);
      joining.put("process.roles", "broker");
      joining.put("node.id", "2");
      joining.put("listeners", "PLAINTEXT://127.0.0.1:" + own);
      joining.put("advertised.listeners", "PLAINTEXT://127.0.0.1:" + own);
      joining.put("log.dirs", other.resolve("data").toString());
      return start(classPath, jvmOptions, other, own, joining);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The location of {@link BrokerMain}. */
  private static Path ownClasses() {
    try {
      return Path.of(BrokerMain.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException | RuntimeException e) {
      throw new IllegalStateException(
          "a broker can only be started from a class path of files, not from inside a jar", e);
    }
  }

  /**
   * A port on which nobody listens. It is below those that the system gives to outgoing
   * connections: none of them can take it while the broker is away.
   */
  private static int freePort(int other) {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(12_000, 32_000);
      try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        if (port != other) {
          return port;
        }
      } catch (IOException _) {
        // a server has it
      }
    }
  }

  private static Map<String, String> properties(Path directory, int port, int controller) {
    Map<String, String> all = new TreeMap<>();
    all.put("process.roles", "broker,controller");
    all.put("node.id", "1");
    all.put("controller.quorum.voters", "1@127.0.0.1:" + controller);
    all.put(
        "listeners",
        "PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d".formatted(port, controller));
    all.put("advertised.listeners", "PLAINTEXT://127.0.0.1:" + port);
    all.put("controller.listener.names", "CONTROLLER");
    all.put("listener.security.protocol.map", "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT");
    all.put("inter.broker.listener.name", "PLAINTEXT");
    all.put("log.dirs", directory.resolve("data").toString());
    all.putAll(SETTINGS);
    return all;
  }

  private static Map<String, String> settings() {
    Map<String, String> all = new TreeMap<>();
    all.put("auto.create.topics.enable", "false");
    for (String topic :
        List.of("offsets.topic", "transaction.state.log", "share.coordinator.state.topic")) {
      all.put(topic + ".replication.factor", "1");
      all.put(topic + ".num.partitions", "1");
    }
    all.put("transaction.state.log.min.isr", "1");
    all.put("share.coordinator.state.topic.min.isr", "1");
    all.put("group.initial.rebalance.delay.ms", "0");
    all.put("log.cleaner.dedupe.buffer.size", "4194304");
    // After a kill and restart the broker must wait for its last session to expire; the default
    // is 9 s. With a much shorter session, a busy machine makes a live broker look dead.
    all.put("broker.session.timeout.ms", "5000");
    all.put("broker.heartbeat.interval.ms", "200");
    // Replaces a member that dies or stalls within seconds.
    all.put("group.consumer.min.heartbeat.interval.ms", "100");
    all.put("group.consumer.heartbeat.interval.ms", "500");
    all.put("group.consumer.min.session.timeout.ms", "1000");
    all.put("group.consumer.session.timeout.ms", "3000");
    return all;
  }

  private void configure() throws IOException {
    List<String> lines = new ArrayList<>();
    properties.forEach((name, value) -> lines.add(name + "=" + value));
    Files.write(file("server.properties"), lines);
    Files.write(
        file("log4j2.properties"),
        List.of(
            "appender.out.type=Console",
            "appender.out.name=out",
            "appender.out.layout.type=PatternLayout",
            "appender.out.layout.pattern=%d %p %c %m%n",
            "rootLogger.level=warn",
            "rootLogger.appenderRef.out.ref=out"));
  }

  /** Starts it again on the same port and data, after it was killed or stopped. */
  public void restart() {
    if (isAlive()) {
      throw new IllegalStateException("the broker is already running");
    }
    try {
      Process started = java();
      process = started;
      long begin = System.nanoTime();
      while (!listens()) {
        if (!started.isAlive() || System.nanoTime() - begin > PATIENCE.toNanos()) {
          started.destroyForcibly();
          throw failed("it does not listen on port " + port);
        }
        LockSupport.parkNanos(50_000_000);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Process java() throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
    command.addAll(jvmOptions);
    command.add("-Dlog4j2.configurationFile=" + file("log4j2.properties"));
    command.addAll(
        List.of(
            "-cp", classPath, BrokerMain.class.getName(), file("server.properties").toString()));
    if (!Files.exists(directory.resolve("data").resolve("meta.properties"))) {
      command.add(CLUSTER);
    }
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(file("broker.log").toFile()))
        .start();
  }

  private boolean listens() {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private IllegalStateException failed(String what) throws IOException {
    List<String> log = Files.readAllLines(file("broker.log"));
    return new IllegalStateException(
        "the broker did not start: %s; the end of its log:%n%s"
            .formatted(
                what, String.join("\n", log.subList(Math.max(0, log.size() - 20), log.size()))));
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  /** The address for clients, {@code host:port}. */
  public String bootstrap() {
    return "127.0.0.1:" + port;
  }

  public boolean isAlive() {
    Process running = process;
    return running != null && running.isAlive();
  }

  /** The process id. */
  public long pid() {
    Process running = process;
    if (running == null) {
      throw new IllegalStateException("the broker was not started");
    }
    return running.pid();
  }

  /** Kills it with SIGKILL. */
  public void kill() {
    end(true);
  }

  /** Shuts it down gracefully. */
  @Override
  public void close() {
    end(false);
  }

  private void end(boolean forcibly) {
    Process running = process;
    if (running == null || !running.isAlive()) {
      return;
    }
    if (forcibly) {
      running.destroyForcibly();
    } else {
      running.destroy();
    }
    await(running);
  }

  private static void await(Process process) {
    try {
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
