/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.queue.Level;
import io.forebay.service.ServiceState.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The sentences claim no more than docs/guarantees.md. */
class UncleanStopTest {

  private static final Instant STOPPED = Instant.parse("2026-11-27T03:12:07Z");
  private static final Instant STARTED = Instant.parse("2026-11-27T03:12:19Z");
  private static final UncleanStop.Of ORDERS = of("orders", Level.DISK);
  private static final UncleanStop.Of MAIL = of("mail", Level.PROCESS);

  private static UncleanStop.Of of(String name, @Nullable Level level) {
    return new UncleanStop.Of(name, level, Phase.RUNNING, true);
  }

  private static Restart unclean(@Nullable Boolean hostRestarted) {
    return new Restart(STOPPED, STARTED, false, hostRestarted);
  }

  private static UncleanStop told(@Nullable Boolean hostRestarted, UncleanStop.Of... services) {
    return UncleanStop.of(List.of(unclean(hostRestarted)), List.of(services), STARTED)
        .orElseThrow();
  }

  @Test
  void isToldForAnHourAfterTheStart() {
    List<Restart> restarts = List.of(unclean(false));
    assertThat(UncleanStop.of(restarts, List.of(ORDERS), STARTED.plus(Duration.ofMinutes(59))))
        .isPresent();
    assertThat(UncleanStop.of(restarts, List.of(ORDERS), STARTED.plus(Duration.ofHours(1))))
        .isEmpty();
    Restart clean = new Restart(STOPPED, STARTED, true, false);
    assertThat(UncleanStop.of(List.of(clean), List.of(ORDERS), STARTED)).isEmpty();
  }

  @Test
  void aKilledProcessLosesNothingOfLevelProcessAndAbove() {
    UncleanStop told = told(false, ORDERS, MAIL);
    assertThat(told.text())
        .isEqualTo(
            "Stopped uncleanly at 03:12:07 UTC, started again at 03:12:19 UTC; nothing that was acknowledged is lost: level PROCESS and DISK survive the end of the process, and the host did not restart.");
    assertThat(told.known())
        .isEqualTo(
            "Known because the run before has no mark of a clean stop; the boot id of the host is unchanged; at this start the queues were compared with what was performed.");
  }

  @Test
  void aRestartOfTheHostIsNotSurvivedByLevelProcess() {
    assertThat(told(true, ORDERS).text())
        .endsWith(
            "nothing that was acknowledged is lost: level DISK survives a restart of the host.");
    assertThat(told(true, ORDERS, MAIL).text())
        .endsWith(
            "; messages of mail that were acknowledged last may be missing, because level PROCESS does not survive a restart of the host.")
        .doesNotContain("nothing that was acknowledged is lost");
    assertThat(told(null, MAIL).text())
        .endsWith("of the host, and it is unknown whether there was one.");
    assertThat(told(null, MAIL).known()).contains("the host has no boot id");
  }

  @Test
  void nothingIsPromisedForMemoryOrAServiceThatFailed() {
    assertThat(told(false, of("carts", Level.MEMORY), ORDERS).text())
        .endsWith(
            "; messages of carts that were not performed are lost, because level MEMORY survives nothing.");
    UncleanStop.Of failed = new UncleanStop.Of("stock", Level.DISK, Phase.FAILED, false);
    assertThat(told(false, failed, ORDERS).text())
        .endsWith(
            "; stock failed after the start: read the reason first, messages may be missing.");
    UncleanStop.Of waiting = new UncleanStop.Of("stock", Level.DISK, Phase.WAITING, false);
    assertThat(told(false, waiting).known())
        .endsWith("; the queue of stock was not compared with what was performed yet.");
  }

  @Test
  void severalStopsWithinAnHourAreCounted() {
    Restart before =
        new Restart(STOPPED.minusSeconds(86_400), STARTED.minusSeconds(60), false, true);
    UncleanStop told =
        UncleanStop.of(List.of(before, unclean(false)), List.of(MAIL), STARTED).orElseThrow();
    assertThat(told.times()).isEqualTo(2);
    assertThat(told.text())
        .startsWith(
            "Stopped uncleanly 2 times within an hour, last at 03:12:07 UTC, started again at")
        .contains("level PROCESS does not survive");
    assertThat(UncleanStop.of(List.of(before), List.of(ORDERS), STARTED).map(UncleanStop::text))
        .hasValueSatisfying(
            text -> assertThat(text).startsWith("Stopped uncleanly at 2026-11-26 03:12:07 UTC"));
  }
}
