/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import io.forebay.kafka.broker.BrokerProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The environment of a benchmark: a folder, a PostgreSQL server, a Kafka broker, and processes. All
 * of it is removed when the testbed is closed or the JVM shuts down.
 */
final class Testbed implements AutoCloseable {

  static final String JAVA = Path.of(System.getProperty("java.home"), "bin", "java").toString();

  /**
   * The JVM options for Chronicle Queue on JDK 25. The jar's manifest cannot pass them to a child
   * process.
   */
  static final List<String> JVM_OPTIONS =
      List.of(
          "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
          "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
          "--add-exports=java.base/sun.nio.ch=ALL-UNNAMED",
          "--add-exports=jdk.compiler/com.sun.tools.javac.file=ALL-UNNAMED",
          "--add-opens=java.base/java.io=ALL-UNNAMED",
          "--add-opens=java.base/java.lang=ALL-UNNAMED",
          "--add-opens=java.base/java.lang.reflect=ALL-UNNAMED",
          "--add-opens=java.base/java.util=ALL-UNNAMED",
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "-Dchronicle.analytics.disable=true",
          "-Dchronicle.announcer.disable=true",
          "-Ddisable.perf.info=true");

  /** The options of Kafka's own start script. */
  private static final List<String> BROKER_JVM =
      List.of("-Xms1g", "-Xmx1g", "-XX:+UseG1GC", "-XX:MaxGCPauseMillis=20");

  private final Path folder;
  private final @Nullable Postgres postgres;
  private final AtomicInteger trials = new AtomicInteger();
  private final Thread atExit = new Thread(this::release);
  private final List<Process> children = new ArrayList<>();
  private @Nullable BrokerProcess broker;
  private boolean closed;

  /**
   * @param parent the folder in which the testbed's folder is created, on the disk to be measured
   */
  Testbed(Path parent) throws Exception {
    this(parent, false, Map.of());
  }

  /**
   * @param postgresSettings additional settings
   */
  Testbed(Path parent, boolean withPostgres, Map<String, String> postgresSettings)
      throws Exception {
    folder = Files.createTempDirectory(parent, "work");
    Runtime.getRuntime().addShutdownHook(atExit);
    try {
      postgres = withPostgres ? Postgres.start(newFolder("postgresql"), postgresSettings) : null;
    } catch (Exception e) {
      delete(folder);
      throw e;
    }
  }

  Postgres postgres() {
    return Objects.requireNonNull(postgres, "this testbed has no PostgreSQL");
  }

  /**
   * Starts a Kafka broker that ends with the testbed.
   *
   * @param classPath a file with the broker's class path
   */
  synchronized BrokerProcess startBroker(Path classPath) throws IOException {
    broker = BrokerProcess.start(classPath, newFolder("broker"), 0, Map.of(), BROKER_JVM);
    return broker;
  }

  static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /**
   * The beginning of a command that runs Java like this JVM, with the options for Chronicle Queue.
   */
  static List<String> java(String... options) {
    List<String> command = new ArrayList<>(List.of(JAVA));
    command.addAll(JVM_OPTIONS);
    command.addAll(List.of(options));
    return command;
  }

  /** A command that runs this program, whose output is UTF-8. */
  static List<String> program(List<String> jvm, List<String> arguments) {
    List<String> command = java("-Dstdout.encoding=UTF-8");
    command.addAll(jvm);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(arguments);
    return command;
  }

  /** Starts a process that ends with the testbed. */
  synchronized Process start(ProcessBuilder builder) throws IOException {
    if (closed) {
      throw new IllegalStateException("the testbed is closed and starts no more processes");
    }
    Process process = builder.start();
    children.add(process);
    return process;
  }

  Path newFolder(String name) throws IOException {
    return Files.createDirectory(folder.resolve(name));
  }

  /**
   * Runs a trial of this program in a new JVM, with an empty folder and an empty database.
   *
   * @param jvm options of the JVM
   * @param command the subcommand and its options
   * @return the figures that it printed
   * @throws IllegalStateException if its exit status is not 0
   */
  List<Rounds> trial(List<String> jvm, boolean withDatabase, List<String> command)
      throws Exception {
    String name = "trial" + trials.incrementAndGet();
    Path ownFolder = newFolder(name);
    List<String> all = new ArrayList<>(command);
    all.addAll(List.of("--folder", ownFolder.toString()));
    if (withDatabase) {
      all.addAll(List.of("--postgres", postgres().create(name)));
    }
    List<Rounds> figures = new ArrayList<>();
    Process process =
        start(new ProcessBuilder(program(jvm, all)).redirectError(ProcessBuilder.Redirect.INHERIT));
    try (BufferedReader output = process.inputReader(StandardCharsets.UTF_8)) {
      output
          .lines()
          .forEach(line ->
              Rounds.parse(line)
                  .ifPresentOrElse(
                      it -> {
                        System.out.println("    " + it);
                        figures.add(it);
                      },
                      () -> System.err.println(line)));
      int status = process.waitFor();
      if (status != 0) {
        throw new IllegalStateException("the trial's process ended with status " + status);
      }
    } finally {
      process.destroyForcibly();
    }
    if (withDatabase) {
      postgres().drop(name);
    }
    delete(ownFolder);
    return figures;
  }

  /** In a trial's process: ends it when its parent ends. */
  static void endWithParent() {
    Thread.ofPlatform()
        .daemon()
        .name("parent-watch")
        .start(() -> {
          try {
            while (System.in.read() >= 0) {
              // nothing is ever sent
            }
          } catch (IOException e) {
            // treat an error like the end
          }
          Runtime.getRuntime().halt(1);
        });
  }

  @Override
  public void close() {
    release();
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException e) {
      // the JVM is shutting down, and the hook runs after this
    }
  }

  private synchronized void release() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      for (Process child : children) {
        child.destroyForcibly().waitFor();
      }
      if (broker != null) {
        broker.kill();
      }
      if (postgres != null) {
        postgres.close();
      }
      delete(folder);
    } catch (IOException e) {
      System.err.println("not everything could be removed: " + e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static void delete(Path root) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
