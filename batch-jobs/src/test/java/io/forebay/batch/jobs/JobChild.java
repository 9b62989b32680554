/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static org.awaitility.Awaitility.await;

import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A {@link JobProcess} that is sent commands. */
record JobChild(ChildProcess process) implements AutoCloseable {

  static JobChild start(Path data, List<String> properties) {
    JobChild child = new JobChild(launch(data, properties));
    child.process.await("> ");
    return child;
  }

  /** Starts a process that runs a job and ends. */
  static ChildProcess run(Path data, List<String> properties, String job, String... parameters) {
    List<String> all = new ArrayList<>(properties);
    all.add("--run=" + job);
    all.addAll(List.of(parameters));
    return launch(data, all);
  }

  private static ChildProcess launch(Path data, List<String> properties) {
    List<String> arguments =
        new ArrayList<>(List.of("--forebay.data=" + data, "--forebay.backend=memory"));
    arguments.addAll(properties);
    return ChildProcess.start(JobProcess.class, arguments.toArray());
  }

  /** Waits until its system database responds. */
  JobChild ready() {
    await().until(() -> !ask("state 1").equals("UNAVAILABLE"));
    return this;
  }

  /** Sends a command and returns the answer. */
  String ask(String line) {
    return process.ask(line, answer -> answer.startsWith("> ")).substring(2);
  }

  /** Sends a command about an execution and returns the execution's id. */
  long id(String line) {
    return Long.parseLong(ask(line).split(" ")[0]);
  }

  String state(long id) {
    return ask("state " + id).split(" ")[1];
  }

  @Override
  public void close() {
    process.close();
  }
}
