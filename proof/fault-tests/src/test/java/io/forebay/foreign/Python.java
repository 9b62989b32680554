/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.foreign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A Python with the packages of the example. The variable {@code PYTHON_OF_TESTS} names one that
 * must have them; otherwise the test is skipped if the default Python does not have them.
 */
final class Python {

  static final Path EXAMPLE = Path.of("../../examples/python-client").toAbsolutePath().normalize();

  private static final String VARIABLE = "PYTHON_OF_TESTS";

  private Python() {}

  static void assumeThere() throws Exception {
    String given = System.getenv(VARIABLE);
    String command = given == null ? "python3" : given;
    String lacking;
    try {
      Process process =
          new ProcessBuilder(command, "-c", "import cbor2, confluent_kafka")
              .redirectErrorStream(true)
              .start();
      process.getInputStream().readAllBytes();
      lacking = process.waitFor() == 0 ? "" : "has no cbor2 or no confluent-kafka";
    } catch (IOException e) {
      lacking = "does not exist";
    }
    if (!lacking.isEmpty()) {
      String reason =
          "%s %s (pip install -r %s); no client in Python is tried"
              .formatted(command, lacking, EXAMPLE.resolve("requirements.txt"));
      if (given != null) {
        throw new AssertionError(reason);
      }
      System.err.println("skipped: " + reason);
      abort(reason);
    }
  }

  /**
   * Runs a program and returns its output.
   *
   * @throws AssertionError if it fails or takes longer than two minutes
   */
  static String run(Path log, Path program, String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(System.getenv().getOrDefault(VARIABLE, "python3"));
    command.add("-B"); // writes no bytecode files beside the program
    command.add(program.toString());
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile(log, "python", ".out");
    Path error = Files.createTempFile(log, "python", ".err");
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(output.toFile())
            .redirectError(error.toFile())
            .start();
    try {
      boolean ended = process.waitFor(120, TimeUnit.SECONDS);
      assertThat(ended ? process.exitValue() : -1)
          .as("%s:%n%s%n%s", command, Files.readString(output), Files.readString(error))
          .isZero();
    } finally {
      process.destroyForcibly();
    }
    return Files.readString(output, StandardCharsets.UTF_8);
  }
}
