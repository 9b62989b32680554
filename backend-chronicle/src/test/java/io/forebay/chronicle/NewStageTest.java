/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chronicle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.forebay.call.Reader;
import io.forebay.call.Writer;
import io.forebay.hosting.DefinedService;
import io.forebay.hosting.ServiceDefinition;
import io.forebay.service.ServiceState.Phase;
import io.forebay.service.progress.HostedProgress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stage that is added to a service, or returns, when the service has run for long. */
class NewStageTest {

  interface Numbers {
    void number(long number);
  }

  private static final Duration ROLL = Duration.ofSeconds(1);
  private static final Duration KEPT = Duration.ofHours(1);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static final ServiceDefinition<Numbers, Numbers> FIRST =
      ServiceDefinition.<Numbers, Numbers>of(
              "first", Numbers.class, Numbers.class, answers -> answers::number)
          .withAnswersKept(KEPT);
  private static final ServiceDefinition<Numbers, Numbers> SECOND =
      ServiceDefinition.<Numbers, Numbers>of(
              "second", Numbers.class, Numbers.class, answers -> answers::number)
          .from(FIRST);

  @TempDir Path data;
  private Rig rig;
  private HostedProgress progress;

  @BeforeEach
  void rig() {
    rig = new Rig(data);
    progress = HostedProgress.inFiles(data.resolve("progress"));
  }

  /** Sends numbers, of which each has a file of its own, and lets the first stage answer them. */
  private void send(ChronicleBackend backend, DefinedService<Numbers, ?> first, long... numbers)
      throws Exception {
    try (Writer<Numbers> writer = first.createWriter()) {
      for (long number : numbers) {
        writer.calls().number(number);
        writer.await(PATIENCE);
        await().until(() -> first.position(0) == first.in().stats(0).end().orElseThrow());
        rig.pass(backend, ROLL);
      }
    }
  }

  private static List<Long> answers(DefinedService<?, Numbers> stage) throws Exception {
    assertThat(stage.drain(PATIENCE)).isTrue();
    List<Long> answers = new ArrayList<>();
    try (Reader<Numbers> reader = stage.createReader(answers::add)) {
      reader.toStart();
      while (reader.poll(100) > 0) {
        // the next ones
      }
    }
    return answers;
  }

  @Test
  void aNewStageBeginsWithTheOldestAnswerKept() throws Exception {
    try (ChronicleBackend backend = rig.open();
        DefinedService<Numbers, Numbers> first = DefinedService.open(backend, FIRST, progress)) {
      first.start();
      send(backend, first, 1, 2);
      rig.pass(backend, KEPT);
      send(backend, first, 3, 4);
      backend.tick(true);
      assertThat(first.out().stats(0).first().orElseThrow())
          .as("answers were deleted")
          .isPositive();
    }
    try (ChronicleBackend backend = rig.open();
        DefinedService<Numbers, Numbers> first = DefinedService.open(backend, FIRST, progress);
        DefinedService<Numbers, Numbers> second =
            DefinedService.open(backend, SECOND, first, progress)) {
      first.start();
      assertThat(second.state().phase()).isNotEqualTo(Phase.FAILED);
      assertThat(answers(second)).endsWith(3L, 4L).doesNotContain(1L);
    }
  }

  @Test
  void answersThatWaitForAStageAreKeptIfTheProcessReturnsAfterALongTime() throws Exception {
    try (ChronicleBackend backend = rig.open();
        DefinedService<Numbers, Numbers> first = DefinedService.open(backend, FIRST, progress);
        DefinedService<Numbers, Numbers> second =
            DefinedService.open(backend, SECOND, first, progress)) {
      second.hold("so that answers wait");
      first.start();
      send(backend, first, 1, 2, 3);
    }
    rig.wall = rig.wall.plus(KEPT.multipliedBy(10));
    try (ChronicleBackend backend = rig.open();
        DefinedService<Numbers, Numbers> first = DefinedService.open(backend, FIRST, progress);
        DefinedService<Numbers, Numbers> second =
            DefinedService.open(backend, SECOND, first, progress)) {
      rig.pass(backend, Duration.ofMinutes(1)); // the application is still starting
      first.start();
      assertThat(answers(second)).containsExactly(1L, 2L, 3L);
    }
  }
}
