/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.admin.verdict.AlertKind;
import io.forebay.admin.verdict.Figures;
import io.forebay.admin.verdict.Problem;
import io.forebay.admin.verdict.Verdict;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.operations.DesiredState;
import io.forebay.operations.LockHolder;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.queue.QueueUnavailable;
import io.forebay.report.ServiceReport;
import io.forebay.service.ServiceState.Phase;
import io.forebay.service.progress.LockNotAvailable;
import io.forebay.service.progress.Unavailable;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** Alerts of services that wait: for their database, a lock, room, or an operator. */
class WaitingVerdictTest extends SimulatedOrders {

  /** Each retry may have another reason, and begins the state again. */
  @Test
  void aServiceThatWaitsIsBadAfterAMinuteWhateverTheReasons() {
    services.run(30);
    orders.performs = 0;
    orders.phase = Phase.WAITING;
    orders.onDatabase = false;
    for (int second = 0; second < 58; second++) {
      orders.since = services.now;
      assertThat(services.run(1).verdict().severity()).as("%d s", second).isEqualTo(Severity.WATCH);
    }
    orders.since = services.now;
    assertThat(services.run(5).verdict().severity()).isEqualTo(Severity.BAD);
  }

  @Test
  void anOutageIsBadAtOnceIfMessagesWait() {
    services.run(30);
    orders.accepts = 0;
    orders.phase = Phase.WAITING;
    orders.since = services.now;
    assertThat(services.run(2).verdict().severity()).as("nobody waits").isEqualTo(Severity.WATCH);
    orders.accepts = 10;
    orders.performs = 0;
    Problem problem = services.run(1).verdict().problems().getFirst();
    assertThat(problem.kind()).isEqualTo(AlertKind.WAITING);
    assertThat(problem.severity()).isEqualTo(Severity.BAD);
  }

  @Test
  void aLockIsNamedAndIsNoOutageAndBadAfterFiveSeconds() {
    services.run(60);
    orders.lockHolder = new LockHolder(123, "psql", "olga", null, null, false, services.now);
    aLockIsNoOutageAndBadAfterFiveSeconds(second -> second % 7 > 5); // between two attempts
    orders.lockHolder = null;
    services.run(1);
    assertThat(services.run(5).verdict().severity()).isEqualTo(Severity.FINE);
  }

  @Test
  void aLockWhoseHolderIsNotKnownIsNoOutageAndBadAfterFiveSeconds() {
    services.run(60);
    orders.waitsFor = new LockNotAvailable("a lock", new SQLException());
    aLockIsNoOutageAndBadAfterFiveSeconds(_ -> true);
    orders.waitsFor = null;
    assertThat(orders(services.run(1)).report().outage()).isNull();
    assertThat(services.run(5).verdict().severity()).isEqualTo(Severity.FINE);
  }

  private void aLockIsNoOutageAndBadAfterFiveSeconds(IntPredicate waits) {
    orders.performs = 0;
    orders.since = services.now;
    for (int second = 1; second <= 30; second++) {
      orders.phase = waits.test(second) ? Phase.WAITING : Phase.RUNNING;
      Snapshot snapshot = services.run(1);
      assertThat(snapshot.databasesAway()).isEmpty();
      assertThat(orders(snapshot).report().state()).isEqualTo(ServiceReport.State.WAITING_FOR_LOCK);
      if (second >= 3) {
        assertThat(Figure.number(orders(snapshot).report().performed())).isZero();
      }
      assertThat(snapshot.verdict().problems())
          .as("second %d", second)
          .singleElement()
          .returns(AlertKind.WAITING, Problem::kind)
          .returns(second < 5 ? Severity.WATCH : Severity.BAD, Problem::severity)
          .satisfies(it ->
              assertThat(figures(it, Figures.Waiting.class))
                  .returns(orders.lockHolder, Figures.Waiting::lock)
                  .returns(null, Figures.Waiting::outage));
    }
    orders.phase = Phase.RUNNING;
    orders.performs = 10_000;
  }

  @Test
  void aDatabaseThatDoesNotRespondIsNamedWithTheTimeLeft() {
    assertThat(services.run(30).databasesAway()).isEmpty();
    orders.performs = 0;
    orders.phase = Phase.WAITING;
    Snapshot away = services.run(20);
    assertThat(away.databasesAway())
        .containsExactly(new DatabaseAway(List.of("orders-post"), SimulatedServices.START));
    assertThat(away.verdict().problems())
        .extracting(Problem::kind)
        .containsExactly(AlertKind.WAITING);
    Snapshot late = services.run(300);
    assertThat(first(late, Figures.Waiting.class).outage().isOver()).isFalse();
    assertThat(orders(late).report().can()).isInstanceOf(Figure.Unknown.class);
    assertThat(orders(late).burst().onTime()).isInstanceOf(Figure.Unknown.class);
    services.all.getFirst().phase = Phase.WAITING;
    services.all.getFirst().since = services.now;
    Snapshot both = services.run(1);
    assertThat(both.databasesAway())
        .as("since the first one waits")
        .containsExactly(
            new DatabaseAway(List.of("ledger", "orders-post"), SimulatedServices.START));
    assertThat(DatabaseAway.of(List.of(), services.now))
        .as("the system database")
        .containsExactly(new DatabaseAway(List.of(), services.now));
    services.all.getFirst().onDatabase = false;
    orders.phase = Phase.RUNNING;
    assertThat(services.run(1).databasesAway()).isEmpty();
  }

  @Test
  void theFirstBatchAfterTheReturnOfTheDatabaseIsNamed() {
    services.run(60);
    orders.performs = 0;
    orders.isAway = true;
    orders.phase = Phase.WAITING;
    orders.since = services.now;
    orders.reason =
        "the database of service orders-post is unavailable (SQLState 08001: refused. Check that the"
            + " hostname is correct.).";
    services.run(170);
    orders.isAway = false;
    orders.phase = Phase.RUNNING;
    orders.reason = "the database responds again; performing the first batch";
    orders.performs = 1; // the batch that the outage interrupted
    services.run(1);
    orders.reason = "the current batch has run for 20 s: the database is slow or not responding";
    orders.performs = 0.001;
    Snapshot back = services.run(12);
    assertThat(back.databasesAway()).isEmpty();
    assertThat(orders(back).report().state()).isEqualTo(ServiceReport.State.RESUMING);
    assertThat(back.verdict().problems())
        .singleElement()
        .returns(AlertKind.WAITING, Problem::kind)
        .satisfies(it -> {
          Figures.Waiting waiting = figures(it, Figures.Waiting.class);
          assertThat(Duration.between(waiting.outage().since(), waiting.outage().until()))
              .isEqualTo(Duration.ofSeconds(171));
          assertThat(waiting.now().lag().unperformed()).isEqualTo(Figure.measured(18_299L));
        });
    orders.reason = "";
    orders.performs = 100_000;
    Verdict over = services.run(2).verdict();
    assertThat(over.problems()).isEmpty();
  }

  @Test
  void aServiceWhoseOutQueueHasNoRoomDoesNotWaitForItsDatabase() {
    orders.performs = 0;
    orders.phase = Phase.WAITING;
    assertThat(services.run(1).databasesAway()).hasSize(1);
    orders.outRefusal = new QueueStats.Refusal(QueueRefused.Reason.DISK, Double.NaN, services.now);
    assertThat(services.run(1).databasesAway()).isEmpty();
  }

  /** Its queue accepts messages again; the service notices with its next attempt. */
  @Test
  void aServiceWhoseResultWasRefusedDoesNotWaitForItsDatabase() {
    orders.performs = 0;
    orders.phase = Phase.WAITING;
    orders.waitsFor =
        new QueueRefused(QueueRefused.Reason.DISK, 1, Duration.ofSeconds(30), "the disk is full");
    Snapshot full = services.run(5);
    assertThat(full.databasesAway()).isEmpty();
    assertThat(full.verdict().problems()).isEmpty();
    orders.waitsFor = new QueueUnavailable("the brokers do not respond", null);
    assertThat(services.run(1).databasesAway()).isEmpty();
    orders.waitsFor = new Unavailable("the database does not respond", null);
    assertThat(services.run(1).databasesAway()).hasSize(1);
  }

  @Test
  void aServiceWhoseResultsHaveNoRoomStandsStillWhateverTheRatesWere() {
    orders.accepts = 2_000;
    services.run(20);
    orders.accepts = 100;
    assertThat(orders(services.run(12)).report().lag().clear().known().orElseThrow())
        .isInstanceOf(Until.In.class);
    orders.outRefusal = new QueueStats.Refusal(QueueRefused.Reason.DISK, Double.NaN, services.now);
    ServiceReport report = orders(services.run(1)).report();
    assertThat(report.standsStill()).isTrue();
    assertThat(report.state()).isEqualTo(ServiceReport.State.REFUSING);
    assertThat(report.lag().clear().known().orElseThrow()).isInstanceOf(Until.Never.class);
    assertThat(report.lag().late().known().orElseThrow()).isInstanceOf(Until.In.class);
    orders.outRefusal = null;
    assertThat(orders(services.run(1)).report().lag().clear().known().orElseThrow())
        .isInstanceOf(Until.In.class);
  }

  @Test
  void aStalledPartitionIsWatchedThenBadWithItsReason() {
    orders.held =
        new QueueStats.Hold(7, "orders.in-0 is blocked at position 7 by producer 4", services.now);
    Problem watched = services.run(30).verdict().problems().getFirst();
    assertThat(watched.kind()).isEqualTo(AlertKind.STALLED);
    assertThat(watched.severity()).isEqualTo(Severity.WATCH);
    assertThat(figures(watched, Figures.Stopped.class).reason())
        .isEqualTo("orders.in-0 is blocked at position 7 by producer 4");
    assertThat(services.run(31).verdict().problems().getFirst().severity()).isEqualTo(Severity.BAD);
    orders.held = null;
    assertThat(services.run(1).verdict().problems()).isEmpty();
  }

  @Test
  void aServiceThatWasJustResumedIsNotCalledSteady() {
    services.run(60);
    services.desired.add(new DesiredState("orders-post", true, "migration", "olga", services.now));
    services.services.follow();
    orders.performs = 0;
    services.run(400);
    services.desired.add(new DesiredState("orders-post", false, "", "olga", services.now));
    services.services.follow();
    orders.performs = 0.001;
    Figures.Standing now = behind(services.run(2)).now();
    assertThat(now.state()).isEqualTo(ServiceReport.State.RESUMING);
    assertThat(now.lag().clear()).isEqualTo(Figure.unknown("the first batch has run for 2 s"));
  }

  @Test
  void aPausedServiceIsNotForgotten() {
    services.run(60);
    services.desired.add(new DesiredState("orders-post", true, "migration", "olga", services.now));
    services.services.follow();
    orders.performs = 0;
    assertThat(services.run(10).verdict().problems())
        .singleElement()
        .satisfies(it -> assertThat(it.severity()).isEqualTo(Severity.WATCH))
        .satisfies(it ->
            assertThat(figures(it, Figures.Paused.class).pause())
                .isEqualTo(services.desired.getFirst()));
    assertThat(services.run(292).verdict().problems().getFirst().severity())
        .as("as soon as its oldest message is late")
        .isEqualTo(Severity.BAD);
    Problem problem = services.run(8).verdict().problems().getFirst();
    assertThat(problem.kind()).isEqualTo(AlertKind.PAUSED);
    DesiredState upgrade =
        new DesiredState("orders-post", true, "upgrade", "paul", services.now)
            .replacing(services.desired.getFirst());
    services.desired.set(0, upgrade);
    services.services.follow();
    assertThat(first(services.run(49), Figures.Paused.class).pause()).isEqualTo(upgrade);
  }

  @Test
  void aPauseWithoutTrafficIsNeverFine() {
    services.run(60);
    Instant end = services.now.plus(Duration.ofHours(8));
    orders.accepts = 0;
    services.run(10);
    services.desired.add(
        new DesiredState("orders-post", true, "migration", "olga", services.now, end, null));
    services.services.follow();
    orders.phase = Phase.PAUSED;
    Verdict verdict = services.run(3600).verdict();
    assertThat(verdict.severity()).isEqualTo(Severity.WATCH);
    assertThat(verdict.problems())
        .singleElement()
        .returns(AlertKind.PAUSED, Problem::kind)
        .satisfies(
            it -> assertThat(figures(it, Figures.Paused.class).pause().until()).isEqualTo(end));
  }

  @Test
  void aShortPauseIsNoAlertAfterItsEnd() {
    services.run(60);
    orders.phase = Phase.PAUSED;
    orders.performs = 0;
    services.run(60);
    orders.phase = Phase.RUNNING;
    orders.performs = 100_000;
    assertThat(services.run(30).verdict().problems()).isEmpty();
  }
}
