/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One real process at a time on the embedded database, or on none. */
class EmbeddedJobsTest {

  @TempDir Path directory;

  private JobChild start(String... properties) {
    List<String> all = new ArrayList<>(List.of(properties));
    all.add("--forebay.gateways.main.migrations=classpath:io/forebay/batch/jobs/tables");
    return JobChild.start(directory, all).ready();
  }

  @Test
  void theNextStartRecoversTheExecutionOfAKilledProcessAndItWritesEachRowOnce() {
    long id;
    try (JobChild first = start()) {
      id = first.id("start a 100 50");
      await().until(() -> Long.parseLong(first.ask("rows a")) >= 15);
      first.process().kill();
    }
    try (JobChild second = start()) {
      await().until(() -> second.state(id), "FAILED"::equals);
      long next = second.id("restart " + id);
      await().until(() -> second.state(next), "COMPLETED"::equals);
      assertThat(second.ask("rows a")).isEqualTo("100");
      assertThat(second.ask("different a")).isEqualTo("100");
    }
  }

  @Tag("proof")
  @Test
  void theNextStartRestartsAutomaticallyIfConfigured() {
    long id;
    try (JobChild first = start()) {
      id = first.id("start c 200 100");
      await().until(() -> Long.parseLong(first.ask("rows c")) >= 15);
      first.process().kill();
    }
    try (JobChild second = start("--forebay.jobs.recover=restart")) {
      await("it had not finished").until(() -> second.state(id), "FAILED"::equals);
      await().until(() -> second.ask("rows c"), "200"::equals);
      assertThat(second.ask("different c")).isEqualTo("200");
    }
  }

  @Test
  void aGracefulShutdownStopsJobsAtTheEndOfAChunk() {
    long id;
    try (JobChild first = start()) {
      id = first.id("start b 200 100");
      await().until(() -> Long.parseLong(first.ask("rows b")) >= 10);
      first.process().stop();
    }
    try (JobChild second = start()) {
      assertThat(second.state(id)).isEqualTo("STOPPED");
      long written = Long.parseLong(second.ask("rows b"));
      assertThat(written).as("it was stopped and did not end").isLessThan(200);
      assertThat(written % TestJobs.CHUNK).isZero();
    }
  }

  @Test
  void anApplicationStartsWhileItsSystemDatabaseIsUnavailable() {
    try (JobChild child =
        JobChild.start(
            directory,
            List.of(
                "--forebay.system.datasource.url=jdbc:postgresql://127.0.0.1:1/none",
                "--forebay.system.datasource.username=none",
                "--forebay.system.datasource.password="))) {
      assertThat(child.ask("start a 10 0")).isEqualTo("UNAVAILABLE");
      assertThat(child.ask("state 1")).isEqualTo("UNAVAILABLE");
    }
  }
}
