/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import com.sun.management.OperatingSystemMXBean;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.HdrHistogram.Histogram;

/** The {@link LoadGenerator} in a JVM that is kept for all runs, so that it is warm. */
final class Load implements AutoCloseable {

  /** Answers with a status 2xx. */
  static final String ACKNOWLEDGED = "acknowledged";

  /** Answers with another status. */
  static final String REFUSED = "refused";

  /** Requests whose connection ended before an answer; their effect is unknown. */
  static final String LOST = "lost";

  /** From the first request to the last answer. */
  static final String SECONDS = "seconds";

  /** CPU seconds of the generator. */
  static final String CPU_SECONDS = "cpuSeconds";

  private final Process process;
  private final Writer periods;
  private final BufferedReader results;

  Load(Testbed testbed) throws IOException {
    List<String> jvm = List.of("-Xms128m", "-Xmx128m", "-XX:+UseSerialGC");
    process =
        testbed.start(
            new ProcessBuilder(Testbed.program(jvm, List.of(LoadGenerator.COMMAND)))
                .redirectError(ProcessBuilder.Redirect.INHERIT));
    periods = process.outputWriter();
    results = process.inputReader(StandardCharsets.UTF_8);
  }

  /**
   * Sends orders for the given time and waits for the last answers.
   *
   * @throws IllegalStateException if the generator failed
   */
  Rounds run(int connections, double seconds, LoadRequest request) throws IOException {
    periods.write(
        String.join(
            " ",
            request.path(),
            request.token(),
            Long.toString(request.run()),
            Integer.toString(request.port()),
            Integer.toString(connections),
            seconds + "\n"));
    periods.flush();
    return Optional.ofNullable(results.readLine())
        .flatMap(Rounds::parse)
        .orElseThrow(() -> new IllegalStateException("the load generator ended without a result"));
  }

  /** The result of a period. */
  static Rounds result(
      long acknowledged, long refused, long lost, long startNanos, long cpuNanos, Histogram nanos) {
    return new Rounds()
        .add(ACKNOWLEDGED, acknowledged)
        .add(REFUSED, refused)
        .add(LOST, lost)
        .add(SECONDS, (System.nanoTime() - startNanos) / 1e9)
        .add(CPU_SECONDS, (cpuNanos() - cpuNanos) / 1e9)
        .add("p50 ms", nanos.getValueAtPercentile(50) / 1e6)
        .add(IngestBenchmark.P99, nanos.getValueAtPercentile(99) / 1e6)
        .add("max ms", nanos.getMaxValue() / 1e6);
  }

  /** The CPU time of this process so far. */
  static long cpuNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }

  @Override
  public void close() {
    process.destroy();
  }
}
