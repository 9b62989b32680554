/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.capacity.Alert.Severity;
import io.forebay.capacity.Figure;
import io.forebay.capacity.RingLengths;
import io.forebay.capacity.Until;
import io.forebay.queue.QueueStats;
import io.forebay.service.ServiceState.Phase;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What an operator is told, and when. */
class VerdictTest {

  private static final RingLengths LENGTHS =
      new RingLengths(Duration.ofMinutes(15), Duration.ofHours(1), Duration.ofHours(2));

  private final SimulatedServices services =
      new SimulatedServices(LENGTHS, "ledger", "mail", "orders-post");
  private final SimulatedServices.Simulated orders = services.all.getLast();

  @Test
  void allIsWellInOneSentenceWithTheLeastRoom() {
    services.all.getFirst().performs = 200;
    Snapshot snapshot = services.run(120);
    assertThat(snapshot.verdict().severity()).isEqualTo(Severity.FINE);
    assertThat(snapshot.verdict().problems()).isEmpty();
    assertThat(snapshot.verdict().text())
        .isEqualTo("All 3 services keep up. Least room: ledger, 57 s of a 10× burst.");
  }

  @Test
  void aServiceThatFallsBehindIsWatchedThenBadAndIsTheFirstRow() {
    orders.accepts = 2000;
    orders.performs = 1650;
    Snapshot watched = services.run(1440);
    Snapshot.Problem problem = watched.verdict().problems().getFirst();
    assertThat(problem.text())
        .isEqualTo(
            "orders-post is 4 m 12 s behind and growing: accepts 2,000/s, database performs"
                + " 1,650/s. Passes its 5 m limit in about 4 m 34 s.");
    assertThat(problem.severity()).isEqualTo(Severity.WATCH);
    assertThat(watched.verdict().text())
        .isEqualTo("1 of 3 services is to be watched. First: orders-post.");
    Snapshot bad = services.run(60);
    assertThat(bad.verdict().text()).isEqualTo("1 of 3 services needs you. First: orders-post.");
    assertThat(bad.services().getFirst().name()).isEqualTo("orders-post");
    assertThat(bad.services().getFirst().severity()).isEqualTo(Severity.BAD);
    Snapshot past = services.run(300);
    assertThat(past.verdict().problems()).hasSize(1);
    assertThat(past.verdict().problems().getFirst().text())
        .contains("past its 5 m limit, and growing")
        .endsWith("It does not catch up at this rate.");
  }

  @Test
  void anAlertThatIsOverStaysTwoMinutesAndThenGoes() {
    orders.accepts = 2000;
    orders.performs = 1650;
    services.run(1500);
    orders.performs = 100_000;
    Snapshot caughtUp = services.run(60);
    assertThat(caughtUp.verdict().problems().getFirst().text())
        .isEqualTo("orders-post was behind and keeps up again.");
    assertThat(services.run(180).verdict().problems())
        .noneMatch(it -> it.kind().equals("late") || it.kind().equals("behind"));
  }

  @Test
  void whatCannotGoOnWithoutSomebodyIsFirst() {
    orders.accepts = 2000;
    orders.performs = 1650;
    services.run(1500);
    services.all.get(0).phase = Phase.WAITING;
    services.all.get(1).phase = Phase.FAILED;
    Snapshot snapshot = services.run(1);
    assertThat(snapshot.verdict().text()).isEqualTo("3 of 3 services need you. First: mail.");
    assertThat(snapshot.verdict().problems())
        .extracting(Snapshot.Problem::kind)
        .containsExactly("failed", "late", "waiting");
    assertThat(snapshot.services().getFirst().state()).isEqualTo("failed");
    assertThat(snapshot.services().getFirst().reason()).isEmpty();
  }

  @Test
  void aPartitionThatStandsStillIsWatchedThenBadAndSaysWhy() {
    orders.held =
        new QueueStats.Hold(7, "orders.in-0 is held at position 7 by producer 4", services.now);
    Snapshot.Problem watched = services.run(30).verdict().problems().getFirst();
    assertThat(watched.kind()).isEqualTo("stalled");
    assertThat(watched.severity()).isEqualTo(Severity.WATCH);
    assertThat(watched.text())
        .isEqualTo("orders-post: orders.in-0 is held at position 7 by producer 4.");
    assertThat(services.run(31).verdict().problems().getFirst().severity()).isEqualTo(Severity.BAD);
    orders.held = null;
    assertThat(services.run(1).verdict().problems()).isEmpty();
  }

  /** As after a restart of the admin: what is past its limit has been so for a while. */
  @Test
  void whatIsWrongAtTheFirstLookIsToldAtOnce() {
    orders.accepts = 2000;
    orders.performs = 0;
    services.sample(600);
    assertThat(services.run(1).verdict().problems().getFirst())
        .satisfies(it -> {
          assertThat(it.kind()).isEqualTo("behind");
          assertThat(it.severity()).isEqualTo(Severity.BAD);
        });
  }

  /**
   * The last message of a burst is the oldest one for a while, and ages, though ever fewer wait.
   */
  @Test
  void aBurstThatIsOverIsCaughtUpWithWhileItsOldestMessageStillAges() {
    orders.accepts = 5000;
    orders.performs = 1000;
    services.run(240);
    orders.accepts = 100;
    Snapshot snapshot = services.run(60);
    assertThat(snapshot.services().getFirst().state()).isEqualTo("draining");
    assertThat(snapshot.verdict().problems().getFirst().text())
        .contains("orders-post", "catching up", "Clear in about");
  }

  @Test
  void busyWorkersAreToldWhileTheyAreBusyAndNotWhileTheAlertCloses() {
    orders.accepts = 960;
    assertThat(services.run(180).verdict().problems())
        .extracting(Snapshot.Problem::kind)
        .containsExactly("database");
    orders.accepts = 100;
    assertThat(services.run(90).verdict().problems()).isEmpty();
  }

  @Test
  void whatWaitsIsSoonDeletedWhereRetentionGoesByTime() {
    orders.kept = Duration.ofMinutes(20);
    orders.accepts = 2000;
    orders.performs = 1000;
    services.run(900);
    assertThat(services.run(60).verdict().problems()).noneMatch(it -> it.kind().equals("loss"));
    Snapshot watched = services.run(360);
    assertThat(watched.verdict().problems())
        .filteredOn(it -> it.kind().equals("loss"))
        .singleElement()
        .satisfies(it -> {
          assertThat(it.severity()).isEqualTo(Severity.WATCH);
          assertThat(it.text()).contains("orders-post: the oldest", "is deleted by its age in 9 m");
        });
    orders.performs = 0;
    assertThat(services.run(420).verdict().problems())
        .filteredOn(it -> it.kind().equals("loss"))
        .extracting(Snapshot.Problem::severity)
        .containsExactly(Severity.BAD);
  }

  @Test
  void whenWhatWaitsIsDeletedIsUnknownUntilTheBrokersHaveTold() {
    assertThat(loss()).isEqualTo(Figure.unknown("nothing is deleted before it is performed"));
    orders.connected = false;
    assertThat(loss())
        .isEqualTo(Figure.unknown("the brokers have not told yet how long messages are kept"));
  }

  private Figure<Until> loss() {
    return services.run(2).services().stream()
        .filter(it -> it.name().equals(orders.name()))
        .findFirst()
        .orElseThrow()
        .loss();
  }

  @Test
  void deadLettersAreToldFor15Minutes() {
    services.run(20);
    orders.dead = 3;
    Snapshot snapshot = services.run(20);
    assertThat(snapshot.verdict().problems().getFirst().text())
        .isEqualTo("orders-post could not read 3 messages in 15 minutes; see Failed.");
    assertThat(services.run(20 * 60).verdict().problems()).isEmpty();
  }
}
