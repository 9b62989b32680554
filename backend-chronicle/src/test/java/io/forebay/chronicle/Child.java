/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Another JVM with the class path of the tests. Its output and errors come on one stream. */
final class Child implements AutoCloseable {

  private final Process process;
  private final BufferedReader output;

  private Child(Process process) {
    this.process = process;
    this.output = process.inputReader(UTF_8);
  }

  /** Starts it with the JVM options of this process. */
  static Child start(Class<?> main, String... arguments) throws IOException {
    List<String> options =
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(option -> option.startsWith("--"))
            .toList();
    return start(options, main, arguments);
  }

  static Child start(List<String> options, Class<?> main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(options);
    command.add("-cp");
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return new Child(new ProcessBuilder(command).redirectErrorStream(true).start());
  }

  long pid() {
    return process.pid();
  }

  @Nullable String readLine() throws IOException {
    return output.readLine();
  }

  /** Reads until a line with this beginning, and returns the line. */
  String await(String beginning) throws IOException {
    StringBuilder read = new StringBuilder();
    for (String line = readLine(); line != null; line = readLine()) {
      if (line.startsWith(beginning)) {
        return line;
      }
      read.append(line).append('\n');
    }
    throw new AssertionError("the child ended without " + beginning + ":\n" + read);
  }

  /** Reads all output until its end. */
  String readAll() throws IOException {
    StringBuilder read = new StringBuilder();
    for (String line = readLine(); line != null; line = readLine()) {
      read.append(line).append('\n');
    }
    return read.toString();
  }

  /** Kills it like {@code kill -9}. */
  void kill() {
    // Through the handle: the Process would close the stream with the earlier output.
    process.toHandle().destroyForcibly();
  }

  int waitFor() throws InterruptedException {
    if (!process.waitFor(240, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("the child did not end");
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
