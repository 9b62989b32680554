/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.testing.ChildProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The output for a user who starts the jar. */
class StartIT {

  /** Reads the file with the token, and sends it. */
  private static final Pattern COMMANDS = Pattern.compile("(?m)^ *(\\. '.*'\\R *curl .*)$");

  @TempDir Path directory;

  private Path data() {
    return directory.resolve("data");
  }

  /** Waits until a text is printed; the lines of the greeting are read one by one. */
  private static void printed(ForebayProcess forebay, String text) {
    await().untilAsserted(() -> assertThat(forebay.output()).contains(text));
  }

  /** Runs the printed commands unchanged in a shell. */
  private static String paste(ForebayProcess forebay) {
    Matcher commands = COMMANDS.matcher(forebay.output());
    assertThat(commands.find()).as(forebay.output()).isTrue();
    return ChildProcess.run("bash", "-c", commands.group(1));
  }

  @Test
  void theCredentialsAreInAFileAndInNoLog() throws Exception {
    Path log = directory.resolve("forebay.log");
    try (ForebayProcess forebay = ForebayProcess.startJar(data(), "--logging.file.name=" + log)) {
      String token = forebay.token();
      String password = forebay.password();
      forebay.address();
      await()
          .untilAsserted(
              () -> assertThat(paste(forebay)).contains("\"state\":\"done\"", "\"count\":1"));
      assertThat(Files.getPosixFilePermissions(forebay.credentials()))
          .isEqualTo(PosixFilePermissions.fromString("rw-------"));
      assertThat(forebay.output())
          .contains(forebay.credentials().toString())
          .doesNotContain("fb_", token, password);
      assertThat(log).content().contains("Started Forebay").doesNotContain("fb_", password);
    }
  }

  @Tag("proof")
  @Test
  void aLeftOverOptionMakesOneTokenOnly() throws Exception {
    String[] options = {"--forebay.backend=memory", "--forebay.security.new-admin-token=lost"};
    String first;
    try (ForebayProcess forebay = ForebayProcess.start(data(), options[0])) {
      first = forebay.token();
    }
    try (ForebayProcess forebay = ForebayProcess.start(data(), options)) {
      assertThat(forebay.token()).isNotEqualTo(first);
      printed(forebay, "curl -sS");
      assertThat(paste(forebay)).contains("\"id\":");
    }
    try (ForebayProcess forebay = ForebayProcess.start(data(), options)) {
      forebay.address();
      assertThat(forebay.credentials()).doesNotExist();
    }
  }

  @Tag("proof")
  @Test
  void aSecondProcessOnTheDirectoryIsRefusedInOneBlock() throws Exception {
    try (ForebayProcess first = ForebayProcess.start(data())) {
      first.address();
      for (String backend : new String[] {"chronicle", "memory"}) {
        assertThat(refused("--forebay.backend=" + backend))
            .contains("process " + first.process().pid(), "stop that");
      }
    }
  }

  @Test
  void anUnusableDirectoryIsReportedInOneBlock() throws Exception {
    Files.writeString(data(), "a file");
    assertThat(refused()).contains("cannot be used by user", data().toString());
  }

  private String refused(String... arguments) throws Exception {
    try (ForebayProcess forebay = ForebayProcess.start(data(), arguments)) {
      assertThat(forebay.process().awaitEnd()).isNotZero();
      assertThat(forebay.output())
          .containsOnlyOnce("APPLICATION FAILED TO START")
          .doesNotContain("\tat ");
      return forebay.output();
    }
  }
}
