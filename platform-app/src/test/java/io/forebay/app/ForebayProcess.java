/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import io.forebay.testing.ChildProcess;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The service as a process on a free port, started as a user would. */
public final class ForebayProcess implements AutoCloseable {

  static final Path JAR = checkout().resolve("platform-app/target/forebay.jar");
  private static final Pattern ADDRESS = Pattern.compile("http://([\\w.]+:\\d+)");
  private static final Pattern TOKEN = Pattern.compile("^TOKEN=(fb_[\\w-]{43})$");
  private static final Pattern PASSWORD = Pattern.compile("^PASSWORD=(\\S+)$");

  /** The JIT compiler takes half of the time of a start. */
  static final String[] QUICK_START = {"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"};

  private final ChildProcess process;
  private final Path credentials;

  /** The checkout that this test runs in, whichever module it is of. */
  public static Path checkout() {
    Path checkout = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(checkout.resolve("platform-app"))) {
      checkout = checkout.getParent();
    }
    return checkout;
  }

  private ForebayProcess(ChildProcess process, Path credentials) {
    this.process = process;
    this.credentials = credentials;
  }

  public static ForebayProcess start(Path data, String... arguments) throws IOException {
    return start(data, Map.of(), arguments);
  }

  /** Starts it with additional environment variables. */
  public static ForebayProcess start(Path data, Map<String, String> variables, String... arguments)
      throws IOException {
    return start(unpacked(), data, variables, arguments);
  }

  /** Starts the single downloadable file with its libraries inside. */
  public static ForebayProcess startJar(Path data, String... arguments) throws IOException {
    return start(ChildProcess.tool("java", "-jar", JAR.toString()), data, Map.of(), arguments);
  }

  /**
   * Starts another main class beside the unpacked jar, which runs Forebay with beans of its own.
   */
  public static ForebayProcess start(Class<?> main, Path data, String... arguments)
      throws IOException {
    String classes = main.getProtectionDomain().getCodeSource().getLocation().getPath();
    return start(
        ChildProcess.tool("java", UnpackedJar.of(JAR, classes, main).toArray(String[]::new)),
        data,
        Map.of(),
        arguments);
  }

  /**
   * Starts it with libraries behind its own, as users add them.
   *
   * @param libraries those on the class path of the tests whose paths contain one of these
   */
  public static ForebayProcess startWith(List<String> libraries, Path data, String... arguments)
      throws IOException {
    String added =
        Arrays.stream(
                System.getProperty(
                        "surefire.test.class.path", System.getProperty("java.class.path"))
                    .split(File.pathSeparator))
            .filter(it -> libraries.stream().anyMatch(it::contains))
            .collect(Collectors.joining(File.pathSeparator));
    return start(
        ChildProcess.tool("java", UnpackedJar.of(JAR, added, Forebay.class).toArray(String[]::new)),
        data,
        Map.of(),
        arguments);
  }

  /** Runs a command of the jar instead of the service. */
  public static ChildProcess command(String... arguments) throws IOException {
    return command(Map.of(), arguments);
  }

  /** Runs a command of the jar with additional environment variables. */
  public static ChildProcess command(Map<String, String> variables, String... arguments)
      throws IOException {
    ProcessBuilder program = unpacked();
    program.environment().putAll(variables);
    program.command().addAll(Arrays.asList(arguments));
    // Without JDK_JAVA_OPTIONS, which java reports on standard error.
    program.command().addAll(1, List.of(QUICK_START));
    return ChildProcess.start(program);
  }

  private static ProcessBuilder unpacked() throws IOException {
    return ChildProcess.tool("java", UnpackedJar.of(JAR).toArray(String[]::new));
  }

  private static ForebayProcess start(
      ProcessBuilder program, Path data, Map<String, String> variables, String... arguments)
      throws IOException {
    program.command().add("--forebay.data=" + data);
    if (Arrays.stream(arguments).noneMatch(it -> it.startsWith("--server.port="))) {
      program.command().add("--server.port=0");
    }
    program.command().addAll(Arrays.asList(arguments));
    program.environment().put("JDK_JAVA_OPTIONS", String.join(" ", QUICK_START));
    program.environment().putAll(variables);
    Path credentials = data.resolve("admin-credentials");
    if (Files.isDirectory(data)) {
      Files.deleteIfExists(credentials); // those of the start before, as an operator does
    }
    return new ForebayProcess(ChildProcess.start(program), credentials);
  }

  /** Host and port, once it is ready. */
  public String address() {
    return await(process::lines, ADDRESS);
  }

  /** The token that this start made. */
  public String token() {
    return await(this::credentialLines, TOKEN);
  }

  /** The password of user admin that this start made. */
  public String password() {
    return await(this::credentialLines, PASSWORD);
  }

  /** The file of the token and the password, which exists if this start made one. */
  public Path credentials() {
    return credentials;
  }

  private List<String> credentialLines() {
    try {
      return Files.exists(credentials) ? Files.readAllLines(credentials) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String await(Supplier<List<String>> lines, Pattern pattern) {
    return process.await(() ->
        lines.get().stream()
            .map(pattern::matcher)
            .filter(Matcher::find)
            .map(it -> it.group(1))
            .findFirst());
  }

  /** The output so far. */
  public String output() {
    return process.output();
  }

  public ChildProcess process() {
    return process;
  }

  /** Ends it as an operator would, and waits. */
  @Override
  public void close() {
    try (process) {
      process.stop();
    }
  }
}
