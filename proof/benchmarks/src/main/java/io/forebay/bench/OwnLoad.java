/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** {@link OwnGenerator} in a JVM that is kept for all runs, so that it is warm after the first. */
final class OwnLoad implements Load {

  private final Process process;
  private final Writer orders;
  private final BufferedReader results;

  private OwnLoad(Process process) {
    this.process = process;
    orders = process.outputWriter();
    results = process.inputReader();
  }

  static OwnLoad start(Testbed testbed) throws IOException {
    List<String> command = Testbed.java("-Xms128m", "-Xmx128m", "-XX:+UseSerialGC");
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.add(OwnGenerator.COMMAND);
    return new OwnLoad(
        testbed.start(new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT)));
  }

  @Override
  public Map<String, Object> describe() {
    return Map.of("name", "own");
  }

  @Override
  public LoadResult run(int port, int connections, double seconds, LoadRequest request)
      throws IOException {
    orders.write(
        String.format(
            Locale.ROOT,
            "%s %s %d %d %d %s%n",
            request.path(),
            request.token(),
            request.run(),
            port,
            connections,
            seconds));
    orders.flush();
    String line = results.readLine();
    if (line == null || !LoadResult.isLine(line)) {
      throw new IllegalStateException("the load generator ended without a result");
    }
    return LoadResult.parse(line);
  }

  @Override
  public void close() {
    process.destroy();
  }
}
