/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * Another JVM with the class path and the options of this one. Its output and errors come on one
 * stream.
 */
final class ChildProcess implements AutoCloseable {

  private final Process process;
  private final BufferedReader output;

  private ChildProcess(Process process) {
    this.process = process;
    this.output = process.inputReader(UTF_8);
  }

  static ChildProcess start(Class<?> main, String... arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> option.startsWith("--"))
        .forEach(command::add);
    command.addAll(List.of("-Xmx256m", "-XX:TieredStopAtLevel=1", "-cp"));
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.add(main.getName());
    command.addAll(List.of(arguments));
    return new ChildProcess(new ProcessBuilder(command).redirectErrorStream(true).start());
  }

  /** Reads until a line with this beginning, and returns the line. */
  String await(String beginning) {
    StringBuilder read = new StringBuilder();
    try {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.startsWith(beginning)) {
          return line;
        }
        read.append(line).append('\n');
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw new AssertionError("the child ended without " + beginning + ":\n" + read);
  }

  /** Kills it like {@code kill -9}. */
  void kill() {
    process.toHandle().destroyForcibly();
    process.onExit().join();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
