/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.foreign;

import static org.junit.jupiter.api.Assumptions.abort;

import io.forebay.testing.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A Python with the packages of the example. The variable {@code PYTHON_OF_TESTS} names one that
 * must have them; otherwise the test is skipped if the default Python does not have them.
 */
final class Python {

  static final Path EXAMPLE = Path.of("../../examples/python-client").toAbsolutePath().normalize();

  private static final String VARIABLE = "PYTHON_OF_TESTS";

  private Python() {}

  static void assumeThere() {
    String given = System.getenv(VARIABLE);
    String command = given == null ? "python3" : given;
    if (ChildProcess.tryRun(command, "-c", "import cbor2, confluent_kafka").isEmpty()) {
      String reason =
          "%s does not exist or has no cbor2 or no confluent-kafka (pip install -r %s); no client in Python is tried"
              .formatted(command, EXAMPLE.resolve("requirements.txt"));
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
  static String run(Path program, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(System.getenv().getOrDefault(VARIABLE, "python3"));
    command.add("-B"); // writes no bytecode files beside the program
    command.add(program.toString());
    command.addAll(List.of(arguments));
    try (ChildProcess process =
        ChildProcess.start(new ProcessBuilder(command)).within(Duration.ofMinutes(2))) {
      process.awaitEnd(0);
      return String.join("\n", process.lines());
    }
  }
}
