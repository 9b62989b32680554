/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The tool wrk with one thread, started for each run. Its script stops all connections when the
 * time is over; wrk itself ends two seconds later, so that no answer is outstanding.
 */
final class WrkLoad implements Load {

  private static final int SETTLING_SECONDS = 2;
  private static final Duration SAMPLE = Duration.ofMillis(50);

  private final Testbed testbed;
  private final Path script;

  /**
   * @throws UsageError if it is not installed
   */
  WrkLoad(Testbed testbed) throws IOException {
    if (!isInstalled()) {
      throw new UsageError("wrk is not on the path; install it or take --generator own");
    }
    this.testbed = testbed;
    this.script = testbed.newFolder("wrk").resolve("order.lua");
  }

  static boolean isInstalled() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
        .anyMatch(it -> Files.isExecutable(Path.of(it, "wrk")));
  }

  @Override
  public Map<String, Object> describe() {
    return Map.of("name", "wrk");
  }

  @Override
  public LoadResult run(int port, int connections, double seconds, LoadRequest request)
      throws IOException, InterruptedException {
    Files.writeString(script, lua(request, seconds));
    int duration = (int) Math.ceil(seconds) + SETTLING_SECONDS;
    Process process =
        testbed.start(
            new ProcessBuilder(
                    "wrk",
                    "--threads=1",
                    "--connections=" + connections,
                    "--duration=" + duration + "s",
                    "--timeout=" + (duration + 60) + "s",
                    "--script=" + script,
                    "http://127.0.0.1:%d%s".formatted(port, request.path()))
                .redirectErrorStream(true));
    double cpuSeconds = 0;
    while (!process.waitFor(SAMPLE.toMillis(), TimeUnit.MILLISECONDS)) {
      cpuSeconds =
          process.info().totalCpuDuration().map(it -> it.toNanos() / 1e9).orElse(cpuSeconds);
    }
    try (BufferedReader output = process.inputReader()) {
      List<String> lines = output.lines().toList();
      double measured = cpuSeconds;
      return lines.stream()
          .filter(LoadResult::isLine)
          .findFirst()
          .map(it -> LoadResult.parse(it).withCpuSeconds(measured))
          .orElseThrow(() ->
              new IllegalStateException(
                  "wrk ended without a result: "
                      + lines.stream().limit(5).collect(Collectors.joining(" / "))));
    }
  }

  private static String lua(LoadRequest request, double seconds) {
    try (InputStream template = WrkLoad.class.getResourceAsStream("order.lua")) {
      if (template == null) {
        throw new IllegalStateException("order.lua is missing beside this class");
      }
      return new String(template.readAllBytes(), StandardCharsets.UTF_8)
          .replace("@token@", request.token())
          .replace("@seconds@", String.format(Locale.ROOT, "%.3f", seconds))
          .replace("@first@", Long.toString(LoadRequest.FIRST))
          .replace("@bodyStart@", LoadRequest.BODY_START)
          .replace("@bodyEnd@", request.bodyEnd());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    // nothing to close between runs
  }
}
