/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The service as a process on a free port, started as a user would. */
public final class ForebayProcess implements AutoCloseable {

  private static final Path JAR = jar();
  private static final Pattern ADDRESS = Pattern.compile("http://([\\w.]+:\\d+)");
  private static final Pattern TOKEN = Pattern.compile("fb_[\\w-]+");
  private static final Pattern PASSWORD = Pattern.compile("^ +(([a-z2-9]{5}-){3}[a-z2-9]{5})$");
  private static final Duration LONGEST_START = Duration.ofSeconds(240);

  /** The JIT compiler takes half of the time of a start. */
  private static final Map<String, String> QUICK_START =
      Map.of("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");

  private final Process process;
  private final List<String> output = new ArrayList<>();
  private final CompletableFuture<String> address = new CompletableFuture<>();
  private final CompletableFuture<String> token = new CompletableFuture<>();
  private final CompletableFuture<String> password = new CompletableFuture<>();

  /** In the checkout that this test runs in, whichever module it is of. */
  private static Path jar() {
    Path checkout = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(checkout.resolve("platform-app"))) {
      checkout = checkout.getParent();
    }
    return checkout.resolve("platform-app/target/forebay.jar");
  }

  private ForebayProcess(Process process) {
    this.process = process;
    Thread.ofPlatform().daemon().start(this::read); // a virtual thread would pin its carrier
  }

  public static ForebayProcess start(Path data, String... arguments) throws IOException {
    return start(data, Map.of(), arguments);
  }

  /** Starts it with additional environment variables. */
  public static ForebayProcess start(Path data, Map<String, String> variables, String... arguments)
      throws IOException {
    return start(List.of("-jar", UnpackedJar.of(JAR).toString()), data, variables, arguments);
  }

  /** Starts the single downloadable file with its libraries inside. */
  public static ForebayProcess startJar(Path data, String... arguments) throws IOException {
    return start(List.of("-jar", JAR.toString()), data, Map.of(), arguments);
  }

  /**
   * Starts another main class on the test's class path, which runs Forebay with beans of its own.
   */
  public static ForebayProcess start(Class<?> main, Path data, String... arguments)
      throws IOException {
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return start(List.of("-cp", classPath, main.getName()), data, Map.of(), arguments);
  }

  private static ForebayProcess start(
      List<String> program, Path data, Map<String, String> variables, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(program);
    command.add("--forebay.data=" + data);
    if (Arrays.stream(arguments).noneMatch(it -> it.startsWith("--server.port="))) {
      command.add("--server.port=0");
    }
    command.addAll(Arrays.asList(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(QUICK_START);
    builder.environment().putAll(variables);
    return new ForebayProcess(builder.start());
  }

  /** Host and port, once it is ready. */
  public String address() throws InterruptedException {
    return await(address, "say its address");
  }

  /** The token that a first start prints. */
  public String token() throws InterruptedException {
    return await(token, "print a token");
  }

  /** The password of user admin that a first start prints. */
  public String password() throws InterruptedException {
    return await(password, "print a password");
  }

  /** The output so far. */
  public String output() {
    synchronized (output) {
      return String.join("\n", output);
    }
  }

  public Process process() {
    return process;
  }

  private String await(CompletableFuture<String> future, String what) throws InterruptedException {
    try {
      return future.get(LONGEST_START.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError("the process did not " + what + "; it printed:\n" + output(), e);
    }
  }

  private void read() {
    try (BufferedReader lines = process.inputReader()) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        synchronized (output) {
          output.add(line);
        }
        find(TOKEN, 0, line, token);
        find(PASSWORD, 1, line, password);
        find(ADDRESS, 1, line, address);
      }
    } catch (IOException e) {
      address.completeExceptionally(e);
    }
    IllegalStateException ended = new IllegalStateException("the process ended");
    address.completeExceptionally(ended);
    token.completeExceptionally(ended);
    password.completeExceptionally(ended);
  }

  private static void find(
      Pattern pattern, int group, String line, CompletableFuture<String> target) {
    Matcher matcher = pattern.matcher(line);
    if (matcher.find()) {
      target.complete(matcher.group(group));
    }
  }

  /** Ends it as an operator would, and waits. */
  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(240, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("the process did not end; it printed:\n" + output());
    }
  }
}
