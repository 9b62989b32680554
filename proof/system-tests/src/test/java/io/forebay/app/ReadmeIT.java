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
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the sessions of documents on the shipped jar, and compares what they print. */
class ReadmeIT {

  private static final Path CHECKOUT = ForebayProcess.checkout();
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```console\n(.*?)^```$");
  private static final Pattern UUID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
  private static final Pattern TIME =
      Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d[.\\d]*(Z|\\+00:00)");

  /** The part of a position in the results that names their queue. */
  private static final Pattern QUEUE = Pattern.compile("(\"next\":\")[0-9a-f]+(?=-)");

  private static final String END = "<end of a command>";

  @TempDir Path directory;

  /** A command of a session and its output. */
  private record Step(String command, String output) {}

  @Test
  void theSessionOfTheReadmePrintsTheDocumentedOutput() throws Exception {
    assertPrintsWhatItSays("README.md");
  }

  @Test
  void theSessionOfTheDoorPrintsTheDocumentedOutput() throws Exception {
    assertPrintsWhatItSays(
        "docs/door.md",
        "--forebay.door.catalogue=file:" + CHECKOUT.resolve("examples/door/catalogue.yaml"),
        "--forebay.gateways.main.migrations=filesystem:" + CHECKOUT.resolve("examples/door/db"));
  }

  private void assertPrintsWhatItSays(String page, String... arguments) throws Exception {
    List<Step> session = session(Files.readString(CHECKOUT.resolve(page)));
    assertThat(session).hasSizeGreaterThan(1);
    try (ForebayProcess forebay = ForebayProcess.start(directory.resolve("data"), arguments)) {
      String commands =
          session.stream()
              .map(step -> "%s\necho '%s'\n".formatted(step.command(), END))
              .collect(Collectors.joining())
              .replace("localhost:8080", forebay.address());
      ProcessBuilder shell = new ProcessBuilder("bash", "-c", commands);
      shell.environment().putAll(Map.of("TOKEN", forebay.token(), "PASSWORD", forebay.password()));
      String[] outputs = ChildProcess.run(shell).split(END);
      assertThat(outputs).hasSameSizeAs(session);
      for (int i = 0; i < outputs.length; i++) {
        assertThat(masked(outputs[i].strip()))
            .as(session.get(i).command())
            .isEqualTo(masked(session.get(i).output()));
      }
    }
  }

  private static List<Step> session(String page) {
    List<Step> steps = new ArrayList<>();
    for (MatchResult block : BLOCK.matcher(page).results().toList()) {
      for (String step : block.group(1).split("(?m)^\\$ ")) {
        if (!step.isBlank()) {
          int end = step.indexOf('\n');
          while ("\\|".indexOf(step.charAt(end - 1)) >= 0) {
            end = step.indexOf('\n', end + 1);
          }
          steps.add(new Step(step.substring(0, end), step.substring(end).strip()));
        }
      }
    }
    return steps;
  }

  /** Masks ids, times and queues, which differ each time. */
  private static String masked(String text) {
    String ids = TIME.matcher(UUID.matcher(text).replaceAll("<id>")).replaceAll("<time>");
    return QUEUE.matcher(ids).replaceAll("$1<queue>");
  }
}
