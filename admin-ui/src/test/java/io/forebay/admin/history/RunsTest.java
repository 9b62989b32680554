/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunsTest {

  private static final Instant START = Instant.parse("2026-11-20T01:00:00Z");

  @TempDir Path temporary;
  private volatile Instant now = START;
  private int kills;
  private Path files;
  private Runs runs;

  private void run(Path directory, String boot) {
    files = directory;
    runs =
        new Runs(
            directory, directory.getFileName() + "@host", () -> now, boot, Duration.ofMillis(2));
    runs.start();
  }

  private void killAndRun(String boot) throws IOException {
    killAndRun(boot, Duration.ZERO);
  }

  /** Continues some time later with the files as they are now. */
  private void killAndRun(String boot, Duration later) throws IOException {
    Path copy = Files.createDirectory(temporary.resolve("copy" + kills++));
    try (DirectoryStream<Path> all = Files.newDirectoryStream(files)) {
      for (Path file : all) {
        Files.copy(file, copy.resolve(file.getFileName()), StandardCopyOption.COPY_ATTRIBUTES);
      }
    }
    runs.stop();
    now = now.plus(later);
    run(copy, boot);
  }

  @AfterEach
  void stop() {
    runs.stop();
  }

  @Test
  void aStartKnowsHowTheRunsBeforeEnded() throws IOException {
    run(temporary.resolve("data"), "boot");
    assertThat(runs.restarts()).isEmpty();
    runs.stop();
    now = now.plusSeconds(60);
    run(files, "boot");
    Restart clean = new Restart(START, now, true, false);
    assertThat(runs.restarts()).containsExactly(clean);
    Instant alive = now.plusSeconds(7);
    now = alive;
    await().until(() -> seen(alive));
    killAndRun("other");
    Restart killed = new Restart(alive, now, false, true);
    assertThat(runs.restarts()).containsExactly(clean, killed);
    assertThat(runs.predecessors()).containsExactly("data@host");
    now = now.plusSeconds(1);
    killAndRun("");
    assertThat(runs.restarts()).hasSize(3);
    assertThat(runs.restarts().getLast().hostRestarted()).isNull();
    assertThat(runs.predecessors()).containsExactlyInAnyOrder("data@host", "copy0@host");
    now = now.plusSeconds(3600);
    await().until(() -> seen(now));
    killAndRun("");
    assertThat(runs.predecessors()).containsExactly("copy1@host");
  }

  @Test
  void anUncleanStopIsKnownHoweverLongAgoItWas() throws IOException {
    run(temporary.resolve("data"), "boot");
    now = now.plusSeconds(7);
    Instant alive = now;
    await().until(() -> seen(alive));
    killAndRun("boot", Duration.ofHours(30));
    assertThat(runs.restarts()).contains(new Restart(alive, now, false, false));
  }

  @Test
  void aRunStartsWhenClientsCanCall() throws IOException {
    run(temporary.resolve("data"), "boot");
    Instant alive = now.plusSeconds(7);
    now = alive;
    await().until(() -> seen(alive));
    killAndRun("boot", Duration.ofSeconds(20));
    now = now.plusSeconds(6);
    runs.accepts();
    Restart killed = new Restart(alive, alive.plusSeconds(26), false, false);
    assertThat(runs.restarts()).containsExactly(killed);
    killAndRun("boot");
    assertThat(runs.restarts()).as("as written").startsWith(killed);
  }

  @Test
  void aDamagedFileStartsOver() throws IOException {
    run(temporary.resolve("data"), "boot");
    runs.stop();
    Files.writeString(files.resolve("runs"), "damaged");
    run(files, "boot");
    assertThat(runs.restarts()).isEmpty();
    runs.stop();
    run(files, "boot");
    assertThat(runs.restarts()).hasSize(1);
  }

  private boolean seen(Instant second) throws IOException {
    return Files.getLastModifiedTime(files.resolve("runs")).toInstant().equals(second);
  }
}
