/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link JobProcess} that can be killed, frozen and sent commands. */
final class JobChild implements AutoCloseable {

  private final Process process;
  private final BufferedReader output;
  private final BufferedWriter input;

  private JobChild(Process process) {
    this.process = process;
    output = process.inputReader(UTF_8);
    input = process.outputWriter(UTF_8);
  }

  static JobChild start(Path data, List<String> properties) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(option -> option.startsWith("--"))
        .forEach(command::add);
    command.addAll(
        List.of(
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
            JobProcess.class.getName(),
            "--forebay.data=" + data,
            "--forebay.backend=memory",
            "--forebay.jobs.lease=2s"));
    command.addAll(properties);
    JobChild child = new JobChild(new ProcessBuilder(command).redirectErrorStream(true).start());
    child.read();
    return child;
  }

  /** Waits until its system database responds. */
  JobChild ready() {
    await().until(() -> !ask("state 1").equals("UNAVAILABLE"));
    return this;
  }

  /** Sends a command and returns the answer. */
  String ask(String line) throws IOException {
    input.write(line + "\n");
    input.flush();
    return read();
  }

  /** Sends a command about an execution and returns the execution's id. */
  long id(String line) throws IOException {
    return Long.parseLong(ask(line).split(" ")[0]);
  }

  String state(long id) throws IOException {
    return ask("state " + id).split(" ")[1];
  }

  private String read() throws IOException {
    StringBuilder log = new StringBuilder();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      if (line.startsWith("> ")) {
        return line.substring(2);
      }
      log.append(line).append('\n');
    }
    throw new AssertionError("the process ended:\n" + log);
  }

  /** Kills it like {@code kill -9}. */
  void kill() {
    process.toHandle().destroyForcibly();
    process.onExit().join();
  }

  void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  /** Ends it gracefully, with SIGTERM. */
  void end() throws InterruptedException {
    process.toHandle().destroy();
    if (!process.waitFor(240, TimeUnit.SECONDS)) {
      throw new AssertionError("the process did not end");
    }
  }

  @Override
  public void close() throws Exception {
    if (process.isAlive()) {
      signal("CONT");
    }
    kill();
  }
}
