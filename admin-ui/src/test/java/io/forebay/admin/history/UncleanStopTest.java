/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.history;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.operations.Durability;
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
  private static final UncleanStop.Of ORDERS =
      of("orders", new Durability(Level.DISK, false, false, true));
  private static final UncleanStop.Of MAIL = of("mail", Level.PROCESS);

  private static UncleanStop.Of of(String name, Level level) {
    return of(name, new Durability(level, false, false, false));
  }

  private static UncleanStop.Of of(String name, @Nullable Durability durability) {
    return new UncleanStop.Of(name, durability, Phase.RUNNING, true);
  }

  private static UncleanStop.Of of(String name, Phase phase) {
    return new UncleanStop.Of(name, new Durability(Level.DISK, false, false, false), phase, false);
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
    assertThat(told(false, ORDERS, MAIL).text())
        .isEqualTo(
            "Stopped uncleanly at 03:12:07 UTC, started again at 03:12:19 UTC; nothing that was acknowledged is lost. This instance accepted no calls for about 12 s; callers can repeat calls that got no answer, with the same idempotency keys.");
  }

  @Test
  void aRestartOfTheHostIsNotSurvivedByLevelProcess() {
    assertThat(told(true, ORDERS).text())
        .contains(
            "; nothing that was acknowledged at the level of its queue is lost; lines of streams that orders acknowledged with level=process may be missing.");
    assertThat(told(true, ORDERS, MAIL).text())
        .contains(
            "; messages of mail that were acknowledged last may be missing, because level PROCESS does not survive a restart of the host; lines of streams that orders acknowledged with level=process may be missing.")
        .doesNotContain("nothing");
    assertThat(told(null, MAIL).text())
        .contains("of the host, and it is unknown whether there was one.");
  }

  @Test
  void nothingIsPromisedForMemoryOrAServiceThatFailed() {
    assertThat(told(false, of("carts", Level.MEMORY), ORDERS).text())
        .contains(
            "; messages of carts that were not performed are lost, because level MEMORY survives nothing.");
    assertThat(told(false, of("stock", Phase.FAILED), ORDERS).text())
        .contains(
            "; stock failed after the start: read the reason first, messages may be missing.");
    assertThat(told(false, of("new", (Durability) null), ORDERS).text())
        .contains("; the level of new is unknown.");
  }

  @Test
  void aQueueOnBrokersDoesNotDependOnThisHost() {
    UncleanStop.Of one = of("mail", new Durability(Level.PROCESS, true, false, true));
    for (Boolean hostRestarted : new Boolean[] {false, true, null}) {
      assertThat(told(hostRestarted, one, ORDERS).text())
          .contains(
              "; messages of mail that were acknowledged last may be missing if the host of a broker failed, because level PROCESS does not survive that")
          .doesNotContain("nothing", "the host did not restart");
    }
    UncleanStop.Of replicated = of("carts", new Durability(Level.REPLICATED, true, false, true));
    for (Boolean hostRestarted : new Boolean[] {false, true, null}) {
      assertThat(told(hostRestarted, replicated).text())
          .contains(
              "; nothing that was acknowledged is lost, unless more brokers failed than the replication of a topic allows. This");
    }
  }

  @Test
  void aRingEndsWithItsContainer() {
    UncleanStop.Of lines = of("orders", new Durability(Level.DISK, false, true, true));
    assertThat(told(false, lines).text())
        .contains(
            "; lines of streams that orders acknowledged with level=process may be missing if this process was in a container, because its ring may end with the container.");
    assertThat(told(false, of("mail", new Durability(Level.PROCESS, false, true, true))).text())
        .contains("; messages of mail that were acknowledged last may be missing if this process")
        .doesNotContain("nothing");
  }

  @Test
  void servicesWhoseQueueWasNotComparedAreNamed() {
    UncleanStop.Of elsewhere =
        new UncleanStop.Of(
            "carts", new Durability(Level.REPLICATED, true, false, false), Phase.IDLE, false);
    assertThat(told(false, ORDERS, of("stock", Phase.WAITING), elsewhere).text())
        .contains(
            "; nothing that was acknowledged is lost, unless more brokers",
            "; the queue of stock has not been compared with what was performed. This");
  }

  @Test
  void aServiceWithoutStreamsHasNoLines() {
    UncleanStop.Of mail = of("mail", Level.DISK);
    assertThat(told(true, mail).text()).contains("; nothing that was acknowledged is lost. This");
  }

  @Test
  void severalStopsWithinAnHourAreCounted() {
    Restart before =
        new Restart(STOPPED.minusSeconds(86_400), STARTED.minusSeconds(60), false, true);
    UncleanStop told =
        UncleanStop.of(List.of(before, unclean(false)), List.of(MAIL), STARTED).orElseThrow();
    assertThat(told.text())
        .startsWith(
            "Stopped uncleanly 2 times within an hour, last at 03:12:07 UTC, started again at")
        .contains("level PROCESS does not survive");
    assertThat(UncleanStop.of(List.of(before), List.of(ORDERS), STARTED).map(UncleanStop::text))
        .hasValueSatisfying(
            text -> assertThat(text).startsWith("Stopped uncleanly at 2026-11-26 03:12:07 UTC"));
  }
}
