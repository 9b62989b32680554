/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.testing.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the README's session on the shipped jar and compares the output. */
class ReadmeIT {

  private static final Path README = ForebayProcess.checkout().resolve("README.md");
  private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  private static final Pattern TIME =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d[.\\d]*(Z|\\+00:00)");

  @TempDir Path directory;

  /** A command of the session and its output. */
  private record Step(String command, String output) {}

  @Test
  void theSessionPrintsTheDocumentedOutput() throws Exception {
    List<Step> session = session(Files.readString(README));
    assertThat(session).hasSizeGreaterThan(3);
    try (ForebayProcess forebay = ForebayProcess.start(directory.resolve("data"))) {
      Map<String, String> secrets =
          Map.of("TOKEN", forebay.token(), "PASSWORD", forebay.password());
      for (Step step : session) {
        String command = step.command().replace("localhost:8080", forebay.address());
        assertThat(masked(run(command, secrets)))
            .as(step.command())
            .isEqualTo(masked(step.output()));
      }
    }
  }

  private static List<Step> session(String readme) {
    int begin = readme.indexOf("```console\n") + "```console\n".length();
    List<Step> steps = new ArrayList<>();
    for (String step : readme.substring(begin, readme.indexOf("```", begin)).split("(?m)^\\$ ")) {
      if (!step.isBlank()) {
        int end = step.indexOf('\n');
        while (step.charAt(end - 1) == '\\') {
          end = step.indexOf('\n', end + 1);
        }
        steps.add(new Step(step.substring(0, end), step.substring(end).strip()));
      }
    }
    return steps;
  }

  private static String run(String command, Map<String, String> secrets) {
    ProcessBuilder builder = new ProcessBuilder("bash", "-c", command);
    builder.environment().putAll(secrets);
    return ChildProcess.run(builder).strip();
  }

  /** Masks ids and times, which differ each time. */
  private static String masked(String text) {
    return TIME.matcher(UUID.matcher(text).replaceAll("<id>")).replaceAll("<time>");
  }
}
