/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A process that writes its output to a file, and ends with its testbed. */
final class Child implements AutoCloseable {

  private static final int LOG_LINES = 40;
  private static final long STOP_SECONDS = 90;

  private final Process process;
  private final Path log;

  Child(Testbed testbed, List<String> command, Path log) throws IOException {
    this.log = log;
    process =
        testbed.start(
            new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()));
  }

  /**
   * @throws IllegalStateException if it has ended
   */
  void mustLive() throws IOException {
    if (!process.isAlive()) {
      throw broken("ended with status " + process.exitValue());
    }
  }

  /** The failure to throw, with the end of its output. */
  IllegalStateException broken(String how) throws IOException {
    List<String> lines =
        Files.readAllLines(log).stream().filter(it -> !it.startsWith("\tat ")).toList();
    return new IllegalStateException(
        "the process %s; the end of its log:%n%s"
            .formatted(
                how,
                String.join(
                    "\n", lines.subList(Math.max(0, lines.size() - LOG_LINES), lines.size()))));
  }

  /** CPU seconds since its start; NaN if the system does not report them. */
  double cpuSeconds() throws IOException {
    mustLive();
    return cpuSeconds(process.toHandle());
  }

  static double cpuSeconds(ProcessHandle process) {
    return process.info().totalCpuDuration().map(it -> it.toNanos() / 1e9).orElse(Double.NaN);
  }

  /** Waits until it has ended; returns its status. */
  int await() throws InterruptedException {
    return process.waitFor();
  }

  /** Stops it as an operator would. */
  @Override
  public void close() throws InterruptedException {
    // Process.destroy would also close its input, and then it would end immediately.
    process.toHandle().destroy();
    if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IllegalStateException(
          "the process did not end within %d s and was killed".formatted(STOP_SECONDS));
    }
  }
}
