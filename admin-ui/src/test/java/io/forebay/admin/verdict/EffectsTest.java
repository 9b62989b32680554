/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.capacity.ServiceHistory;
import io.forebay.capacity.ServiceSample;
import io.forebay.capacity.series.RingLengths;
import io.forebay.operations.DesiredState;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What is said before a service is resumed. */
class EffectsTest {

  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final ServiceHistory history = new ServiceHistory(RingLengths.DEFAULT);
  private Instant now = Instant.parse("2026-11-20T00:00:00Z");
  private long accepted;
  private long performed;

  private void run(int seconds, int come, int can, boolean paused) {
    for (int second = 0; second < seconds; second++) {
      now = now.plusSeconds(1);
      accepted += come;
      long done = paused ? 0 : Math.min(can, accepted - performed);
      performed += done;
      history.add(
          new ServiceSample(
              now,
              OptionalLong.of(accepted),
              OptionalLong.of(performed),
              OptionalLong.of(accepted * 100),
              accepted > performed ? Optional.of(now.minusSeconds(1)) : Optional.empty(),
              1,
              0,
              OptionalDouble.of(paused ? 0 : (double) done / can),
              paused));
    }
  }

  /** What it did without a backlog is no capacity. */
  @Test
  void aResumeSaysNothingOfGrowthIfTheCapacityIsNotSure() {
    run(120, 15, 100, false);
    run(60, 50, 100, true);
    assertThat(Effects.ofResume(Optional.empty(), history, LIMIT, now))
        .containsExactly(
            "3,000 messages will be performed in order.",
            "How long it takes is unknown: the capacity of the database was not measured.");
  }

  @Test
  void aResumeSaysHowLongTheCatchUpTakesIfTheCapacityWasMeasured() {
    run(180, 400, 100, false);
    run(700, 0, 100, false);
    run(600, 10, 100, true);
    assertThat(Effects.ofResume(Optional.empty(), history, LIMIT, now))
        .containsExactly(
            "6,000 messages will be performed in order.",
            "The database performs about 100 per second and catches up in about 1 m 7 s.");
  }

  @Test
  void aResumeSaysWhoPausedTheServiceAndWhy() {
    run(120, 15, 100, false);
    DesiredState first =
        new DesiredState("mail", true, "ask me first", "ben", now.minusSeconds(600));
    DesiredState pause =
        new DesiredState("mail", true, "test", "ada", now.minusSeconds(60)).replacing(first);
    assertThat(Effects.ofResume(Optional.of(pause), history, LIMIT, now))
        .containsExactly(
            "Paused 1 m ago by ada: “test”.",
            "It replaced another pause. Paused 10 m ago by ben: “ask me first”.",
            "No messages wait.");
  }
}
