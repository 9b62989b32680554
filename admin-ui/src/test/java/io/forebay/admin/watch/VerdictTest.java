/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doReturn;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.admin.verdict.AlertKind;
import io.forebay.admin.verdict.AlertRule;
import io.forebay.admin.verdict.Cause;
import io.forebay.admin.verdict.Figures;
import io.forebay.admin.verdict.Problem;
import io.forebay.admin.verdict.Verdict;
import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.Until;
import io.forebay.capacity.disk.Runway;
import io.forebay.operations.DesiredState;
import io.forebay.operations.LockHolder;
import io.forebay.operations.failures.Failures;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.queue.QueueUnavailable;
import io.forebay.report.Host;
import io.forebay.report.OpenFailures;
import io.forebay.report.ServiceReport;
import io.forebay.report.ServiceReports;
import io.forebay.service.ServiceState.Phase;
import io.forebay.service.progress.LockNotAvailable;
import io.forebay.service.progress.Unavailable;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** Verdicts and alerts, and when they open and close. */
class VerdictTest {

  private final SimulatedServices services = new SimulatedServices("ledger", "mail", "orders-post");
  private final SimulatedServices.Simulated orders = services.all.getLast();

  @Test
  void nothingIsOpenWhileAllKeepUp() {
    Snapshot snapshot = services.run(120);
    assertThat(snapshot.verdict().severity()).isEqualTo(Severity.FINE);
    assertThat(snapshot.verdict().problems()).isEmpty();
    assertThat(snapshot.recordedSince()).isEqualTo(SimulatedServices.START.plusSeconds(1));
  }

  @Test
  void aServiceWhoseDiskIsFullAcceptsNothingOfABurst() {
    services.run(120);
    orders.outRefusal = new QueueStats.Refusal(QueueRefused.Reason.DISK, Double.NaN, services.now);
    Snapshot.Burst burst = orders(services.run(1)).burst();
    assertThat(burst.accepts()).isEqualTo(Figure.measured(new Until.Passed()));
    assertThat(burst.onTime()).isInstanceOf(Figure.Unknown.class);
  }

  @Test
  void aServiceThatFallsBehindIsWatchedThenBadAndIsTheFirstRow() {
    orders.accepts = 2000;
    orders.performs = 1650;
    Snapshot watched = services.run(1440);
    Problem problem = watched.verdict().problems().getFirst();
    Figures.Standing now = behind(watched).now();
    assertThat(now.state()).isEqualTo(ServiceReport.State.GROWING);
    assertThat(now.lag().behind().known()).hasValue(Duration.ofSeconds(252));
    assertThat(Until.seconds(now.lag().late())).isCloseTo(274, within(1.0));
    assertThat(now.accepted()).isEqualTo(Figure.measured(2000.0));
    assertThat(now.performed()).isEqualTo(Figure.measured(1650.0));
    assertThat(problem.severity()).isEqualTo(Severity.WATCH);
    Snapshot bad = services.run(60);
    assertThat(bad.verdict().severity()).isEqualTo(Severity.BAD);
    assertThat(bad.services().getFirst().report().name()).isEqualTo("orders-post");
    assertThat(bad.services().getFirst().severity()).isEqualTo(Severity.BAD);
    Snapshot past = services.run(300);
    assertThat(past.verdict().problems()).hasSize(1);
    assertThat(behind(past).now().lag().late()).isEqualTo(Figure.measured(new Until.Passed()));
  }

  @Test
  void manyMoreMessagesThanUsualAreTheCause() {
    services.run(300);
    orders.accepts = 1200;
    assertThat(behind(services.run(60)).cause())
        .satisfies(it -> assertThat(it.timesUsual()).isCloseTo(12, within(0.1)))
        .satisfies(it ->
            assertThat(it.usualOver()).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(7)));
  }

  @Test
  void aDatabaseThatIsSlowerThanUsualIsSaidToBeSoAlsoIfNothingWaits() {
    orders.performs = 640;
    services.run(240);
    orders.accepts = 1000;
    services.run(180);
    orders.accepts = 100;
    services.run(400);
    orders.performs = 105;
    assertThat(services.run(12).verdict().problems())
        .filteredOn(it -> it.kind() == AlertKind.DATABASE)
        .singleElement()
        .satisfies(it -> {
          Cause cause = figures(it, Figures.Behind.class).cause();
          assertThat(cause.slower().times()).isCloseTo(6.1, within(0.05));
          assertThat(cause.slower().perSecond()).isCloseTo(105, within(0.1));
          assertThat(cause.can()).isCloseTo(640, within(0.1));
        });
    assertThat(services.run(1).services())
        .filteredOn(it -> it.report().name().equals("orders-post"))
        .singleElement()
        .satisfies(
            it -> assertThat(it.report().slowerNow().perSecond()).isCloseTo(105, within(0.1)));
  }

  @Test
  void aServiceThatHasCaughtUpIsNoProblem() {
    orders.accepts = 2000;
    orders.performs = 1650;
    services.run(1800);
    orders.performs = 100_000;
    services.run(20);
    Verdict verdict = services.run(20).verdict();
    assertThat(verdict.problems())
        .noneMatch(it -> it.kind() == AlertKind.LATE || it.kind() == AlertKind.BEHIND);
  }

  @Test
  void aServiceThatStillCatchesUpIsAProblem() {
    orders.accepts = 2000;
    orders.performs = 1650;
    services.run(1800);
    orders.performs = 2700;
    Snapshot snapshot = services.run(60);
    assertThat(state(snapshot)).isEqualTo("draining");
    while (state(snapshot).equals("draining")) {
      assertThat(snapshot.verdict().severity()).isNotEqualTo(Severity.FINE);
      assertThat(behind(snapshot).now().state()).isEqualTo(ServiceReport.State.DRAINING);
      snapshot = services.run(5);
    }
    assertThat(snapshot.verdict().problems())
        .noneMatch(it -> it.kind() == AlertKind.LATE || it.kind() == AlertKind.BEHIND);
  }

  private static String state(Snapshot snapshot) {
    return orders(snapshot).report().state().name().toLowerCase(Locale.ROOT);
  }

  private static Snapshot.Service orders(Snapshot snapshot) {
    return snapshot.services().stream()
        .filter(it -> it.report().name().equals("orders-post"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aStateIsShownSinceItBeganAndABreakDoesNotMoveThat() {
    assertThat(orders(services.run(60)).since()).isEqualTo(SimulatedServices.START);
    orders.accepts = 2000;
    orders.performs = 1650;
    Snapshot snapshot = services.run(1);
    while (!state(snapshot).equals("growing")) {
      snapshot = services.run(1);
    }
    Instant began = services.now;
    assertThat(Duration.between(SimulatedServices.START, began))
        .as("at 5 s behind, a twentieth of the limit or less")
        .isBetween(Duration.ofSeconds(61), Duration.ofSeconds(95));
    assertThat(orders(services.run(300)).since()).isEqualTo(began);
    orders.performs = 2400;
    assertThat(state(services.run(6))).isEqualTo("draining");
    orders.performs = 1650;
    snapshot = services.run(12);
    assertThat(state(snapshot)).isEqualTo("growing");
    assertThat(orders(snapshot).since()).isEqualTo(began);
    orders.phase = Phase.PAUSED;
    orders.since = services.now;
    assertThat(orders(services.run(20)).since()).isEqualTo(orders.since);
    orders.phase = Phase.RUNNING;
    orders.since = services.now;
    assertThat(orders(services.run(5)).since()).isEqualTo(orders.since);
  }

  @Test
  void aBurstIsReportedWithinFiveSecondsAndItsEndIsNotRed() {
    services.run(300);
    orders.accepts = 50_000;
    Problem problem = services.run(5).verdict().problems().getFirst();
    assertThat(problem.kind()).isEqualTo(AlertKind.LATE);
    orders.accepts = 0;
    orders.performs = 100_000;
    Verdict after = services.run(15).verdict();
    assertThat(after.severity()).isEqualTo(Severity.FINE);
  }

  /** Nothing is known of the capacity, because the service never had a backlog. */
  @Test
  void aTenfoldBurstIsNeverGreenFromTheFifthSecondOn() {
    orders.accepts = 25;
    orders.performs = 119;
    services.run(30);
    orders.accepts = 228;
    services.run(4);
    for (int second = 5; second < 120; second++) {
      Snapshot snapshot = services.run(1);
      Verdict verdict = snapshot.verdict();
      assertThat(verdict.problems())
          .as("%d s", second)
          .first()
          .satisfies(it -> {
            assertThat(it.kind()).isIn(AlertKind.LATE, AlertKind.BEHIND);
            Figures.Standing now = figures(it, Figures.Behind.class).now();
            assertThat(now.state()).isEqualTo(ServiceReport.State.GROWING);
            assertThat(now.lag().late().known().orElseThrow()).isInstanceOf(Until.In.class);
          });
      assertThat(orders(snapshot).severity()).isNotEqualTo(Severity.FINE);
      assertThat(orders(snapshot).report().state()).isEqualTo(ServiceReport.State.GROWING);
    }
  }

  /** The wait rises until the last message of the burst is performed. */
  @Test
  void theOldestWaitStillRisesWhileItCatchesUp() {
    services.run(300);
    orders.accepts = 20_000;
    services.run(13);
    orders.accepts = 100;
    assertThat(growth(behind(services.run(15)))).isPositive();
    orders.accepts = 20_000;
    services.run(7);
    orders.accepts = 100;
    Figures.Behind rises = behind(services.run(15));
    assertThat(growth(rises)).isPositive();
    assertThat(rises.now().lag().late().known().orElseThrow()).isInstanceOf(Until.In.class);
    Figures.Behind past = behind(services.run(290));
    assertThat(growth(past)).isPositive();
    assertThat(past.now().state()).isEqualTo(ServiceReport.State.DRAINING);
    assertThat(past.now().lag().late()).isEqualTo(Figure.measured(new Until.Passed()));
  }

  private static double growth(Figures.Behind behind) {
    return behind.now().lag().growth().known().orElseThrow();
  }

  private static Figures.Behind behind(Snapshot snapshot) {
    return first(snapshot, Figures.Behind.class);
  }

  private static <T extends Figures> T first(Snapshot snapshot, Class<T> type) {
    return figures(snapshot.verdict().problems().getFirst(), type);
  }

  private static <T extends Figures> T figures(Problem problem, Class<T> type) {
    return type.cast(problem.figures());
  }

  @Test
  void chanceAtASmallRateIsNoAlert() {
    orders.accepts = 20;
    services.run(60);
    for (int second = 0; second < 60; second++) {
      orders.performs = second % 4 < 2 ? 0.001 : 100;
      Snapshot snapshot = services.run(1);
      assertThat(snapshot.verdict().problems()).isEmpty();
      assertThat(orders(snapshot).report().state()).isEqualTo(ServiceReport.State.KEEPING_UP);
    }
  }

  @Test
  void manyFailuresAreAnAlertWithinFiveSecondsAndFewWait() {
    services.run(60);
    services.run(1);
    orders.failed += 20;
    assertThat(services.run(1).verdict().problems()).as("4 %").isEmpty();
    orders.failed += 20;
    services.run(1);
    orders.failed += 20;
    Problem problem = services.run(1).verdict().problems().getFirst();
    assertThat(problem.kind()).isEqualTo(AlertKind.FAILING);
    assertThat(figures(problem, Figures.Failures.class))
        .returns(0.12, Figures.Failures::shareNow)
        .returns(60L, Figures.Failures::lately);
    SimulatedServices.Simulated mail = services.all.get(1);
    for (int second = 0; second < 10; second++) {
      mail.failed += 3;
      assertThat(services.run(1).verdict().problems()).noneMatch(it -> "mail".equals(it.service()));
    }
    services.run(60);
    assertThat(first(services.run(1), Figures.Failures.class))
        .returns(60L, Figures.Failures::count)
        .returns(null, Figures.Failures::shareNow)
        .returns(Duration.ofSeconds(71), Figures.Failures::over)
        .returns(true, Figures.Failures::closes);
  }

  @Test
  void pastItsLimitIsBadAtOnceAndSoIsItsBurst() {
    services.run(60);
    orders.performs = 1;
    services.sample(310);
    Snapshot snapshot = services.run(2);
    assertThat(behind(snapshot).now().lag().late()).isEqualTo(Figure.measured(new Until.Passed()));
    assertThat(snapshot.verdict().problems().getFirst().severity()).isEqualTo(Severity.BAD);
    assertThat(orders(snapshot).burst().onTime()).isEqualTo(Figure.measured(new Until.Passed()));
  }

  @Test
  void servicesThatNeedAnOperatorComeFirst() {
    orders.accepts = 2000;
    orders.performs = 1650;
    services.run(1500);
    services.all.get(0).phase = Phase.WAITING;
    services.all.get(1).phase = Phase.FAILED;
    Snapshot snapshot = services.run(1);
    assertThat(snapshot.verdict().problems())
        .extracting(Problem::kind)
        .containsExactly(AlertKind.FAILED, AlertKind.WAITING, AlertKind.LATE);
    assertThat(snapshot.services().getFirst().report().state())
        .isEqualTo(ServiceReport.State.FAILED);
    assertThat(snapshot.services().getFirst().report().reason()).isEmpty();
  }

  @Test
  void theWorstServiceIsFirstThenByName() {
    assertThat(names(services.run(1))).containsExactly("ledger", "mail", "orders-post");
    orders.accepts = 2000;
    orders.performs = 1650;
    services.run(1440);
    services.all.get(1).accepts = 0;
    services.all.get(1).phase = Phase.WAITING;
    Snapshot snapshot = services.run(1);
    assertThat(snapshot.services())
        .extracting(Snapshot.Service::severity)
        .containsExactly(Severity.BAD, Severity.WATCH, Severity.FINE);
    assertThat(names(snapshot))
        .as("orders-post will be late, but mail is worse although nothing waits there")
        .containsExactly("mail", "orders-post", "ledger");
  }

  private static List<String> names(Snapshot snapshot) {
    return snapshot.services().stream().map(it -> it.report().name()).toList();
  }

  @Test
  void alertsThatAreEquallyUrgentDoNotChangePlaces() {
    SimulatedServices.Simulated mail = services.all.get(1);
    List.of(mail, orders).forEach(it -> it.accepts = 2000);
    Set<List<String>> orders = new HashSet<>();
    for (int seconds = 0; seconds < 1440; seconds += 20) {
      boolean even = seconds / 20 % 2 == 0;
      mail.performs = even ? 1645 : 1655;
      this.orders.performs = even ? 1655 : 1645;
      Verdict verdict = services.run(20).verdict();
      if (seconds > 1300) {
        orders.add(verdict.problems().stream().map(Problem::service).toList());
      }
    }
    assertThat(orders).singleElement();
  }

  @Test
  void aUsualBurstThatWouldBeLateNeverGetsWorseThanWatch() {
    AlertRule rule = AlertKind.BURST.rule();
    assertThat(rule.bad()).isEqualTo(rule.watch());
    assertThat(rule.watch().value()).as("a burst of the usual length has room").isEqualTo(1);
  }

  @Test
  void aSlowDatabaseIsToldWithWhatItMeansAndItsEnd() {
    orders.accepts = 100;
    services.run(600);
    orders.performs = 101;
    Problem problem = services.run(40).verdict().problems().getFirst();
    assertThat(problem.kind()).isEqualTo(AlertKind.DATABASE);
    assertThat(figures(problem, Figures.Behind.class).cause().slower().times())
        .isBetween(9.0, 10.0);
    orders.performs = 1000;
    Verdict after = services.run(20).verdict();
    assertThat(after.problems()).isEmpty();
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
        new DesiredState("orders-post", true, "migration", "olga", services.now, end));
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
    orders.lockHolder = new LockHolder(123, "psql", "olga", null, null, services.now);
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
      assertThat(orders(snapshot).report().state())
          .isEqualTo(ServiceReport.State.WAITING_FOR_LOCK);
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

  /** The mean busy share of the last minute is still that of the time of catching up. */
  @Test
  void nothingIsBadAfterABacklogIsGone() {
    services.run(60);
    orders.accepts = 1500;
    services.run(60);
    orders.accepts = 500;
    while (orders(services.run(1)).report().lag().state() != Lag.State.KEEPING_UP) {
      assertThat(services.now).isBefore(SimulatedServices.START.plusSeconds(600));
    }
    for (int second = 0; second < 60; second++) {
      assertThat(services.run(1).verdict().severity())
          .as("second %d", second)
          .isNotEqualTo(Severity.BAD);
    }
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
          assertThat(waiting.outage().length(services.now)).isEqualTo(Duration.ofSeconds(171));
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

  /** A forecast of a minute ago would claim time that is not left. */
  @Test
  void theTimeUntilABurstFillsTheDiskFollowsTheForecastOfTheDisk() {
    services.run(120);
    Filling disk = new Filling();
    ServiceReports reports = new ServiceReports(services.services, services.watches, disk, null);
    for (int left : new int[] {55, 6, 0, 7_200}) {
      disk.left = Until.ofSeconds(left, "");
      reports.make(services.now);
      assertThat(reports.latest())
          .as("%d s", left)
          .allSatisfy(it ->
              assertThat(it.burst().then(BurstHeadroom::full))
                  .isEqualTo(Figure.measured(disk.left)));
    }
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

  /** Right after a start, a figure past its limit counts as past it for a while. */
  @Test
  void problemsAtTheStartAreReportedAtOnce() {
    orders.accepts = 2000;
    orders.performs = 0;
    services.sample(600);
    assertThat(services.run(1).verdict().problems().getFirst())
        .satisfies(it -> {
          assertThat(it.kind()).isEqualTo(AlertKind.BEHIND);
          assertThat(it.severity()).isEqualTo(Severity.BAD);
        });
  }

  /** After a burst, the oldest message still ages although fewer and fewer messages wait. */
  @Test
  void afterABurstTheServiceCatchesUpWhileTheOldestMessageStillAges() {
    orders.accepts = 5000;
    orders.performs = 1000;
    services.run(240);
    orders.accepts = 100;
    Snapshot snapshot = services.run(60);
    assertThat(snapshot.services().getFirst().report().state())
        .isEqualTo(ServiceReport.State.DRAINING);
    assertThat(growth(behind(snapshot))).isPositive();
    assertThat(behind(snapshot).now().lag().late().known().orElseThrow())
        .isInstanceOf(Until.In.class);
  }

  @Test
  void busyWorkersAreReportedUntilTheAlertBeginsToClose() {
    orders.accepts = 960;
    assertThat(services.run(180).verdict().problems())
        .extracting(Problem::kind)
        .containsExactly(AlertKind.DATABASE);
    orders.accepts = 100;
    assertThat(services.run(90).verdict().problems()).isEmpty();
  }

  @Test
  void warnsBeforeRetentionByTimeDeletesWaitingMessages() {
    orders.kept = Duration.ofMinutes(20);
    orders.accepts = 2000;
    orders.performs = 1000;
    services.run(900);
    assertThat(services.run(60).verdict().problems()).noneMatch(it -> it.kind() == AlertKind.LOSS);
    Snapshot watched = services.run(360);
    assertThat(watched.verdict().problems())
        .filteredOn(it -> it.kind() == AlertKind.LOSS)
        .singleElement()
        .satisfies(it -> {
          assertThat(it.severity()).isEqualTo(Severity.WATCH);
          assertThat(Until.seconds(figures(it, Figures.Loss.class).loss())).isBetween(540.0, 600.0);
        });
    orders.performs = 0;
    assertThat(services.run(420).verdict().problems())
        .filteredOn(it -> it.kind() == AlertKind.LOSS)
        .extracting(Problem::severity)
        .containsExactly(Severity.BAD);
  }

  @Test
  void timeOfDeletionIsUnknownUntilTheBrokersReportRetention() {
    assertThat(loss()).isEqualTo(Figure.unknown("messages are kept until performed"));
    orders.connected = false;
    assertThat(loss())
        .isEqualTo(Figure.unknown("the brokers have not reported the retention time yet"));
  }

  private Figure<Until> loss() {
    return services.run(2).services().stream()
        .map(Snapshot.Service::report)
        .filter(it -> it.name().equals(orders.name()))
        .findFirst()
        .orElseThrow()
        .loss();
  }

  @Test
  void deadLettersAreReportedFor15Minutes() {
    services.run(20);
    orders.dead = 3;
    Snapshot snapshot = services.run(20);
    assertThat(first(snapshot, Figures.Failures.class).count()).isEqualTo(3);
    assertThat(services.run(14 * 60).verdict().problems())
        .extracting(Problem::kind)
        .containsExactly(AlertKind.DEAD);
    assertThat(services.run(6 * 60).verdict().problems()).isEmpty();
  }

  @Test
  void failuresThatNobodyHasToDecideAboutAreNoAlert() {
    services.run(20);
    orders.dead = 3;
    orders.failed = 100;
    areOpen(103);
    assertThat(services.run(20).verdict().problems())
        .extracting(Problem::kind)
        .containsExactlyInAnyOrder(AlertKind.DEAD, AlertKind.FAILING);
    assertThat(services.run(60).verdict().problems())
        .hasSize(2)
        .extracting(it -> figures(it, Figures.Failures.class).over())
        .containsExactlyInAnyOrder(null, Duration.ofSeconds(79));
    areOpen(3);
    assertThat(services.run(1).verdict().problems()).hasSize(2);
    areOpen(0);
    assertThat(services.run(1).verdict().problems()).isEmpty();
  }

  @Test
  void theAlertOfManyFailuresNamesTheStatementAndTheConstraint() {
    services.run(60);
    Failures.Group most =
        new Failures.Group(
            "orders-post",
            "23514",
            new Failures.Cause("orders.add", "constraint qty_positive, table orders"),
            "check constraint qty_positive of orders violated",
            100,
            false,
            100,
            services.now,
            services.now);
    doReturn(Optional.of(most)).when(services.failures).most("orders-post");
    orders.failed = 100;
    assertThat(first(services.run(1), Figures.Failures.class).cause())
        .isEqualTo(
            new Figures.FailureCause(
                "orders.add", "check constraint qty_positive of orders violated", "23514"));
    assertThat(first(services.run(80), Figures.Failures.class).over())
        .as("none fails")
        .isEqualTo(Duration.ofSeconds(80));
    services.run(20 * 60);
    orders.failed = 200;
    assertThat(first(services.run(1), Figures.Failures.class).cause())
        .as("maybe another cause")
        .isNull();
  }

  /** The share is that since they began, not that of the whole minute. */
  @Test
  void aThirdThatFailsIsBadWithTheSameShareEverywhereUntilNoneFails() {
    orders.accepts = 20;
    services.run(120);
    for (int second = 1; second <= 30; second++) {
      orders.failed += 6;
      Snapshot now = services.run(1);
      if (second < 5) {
        continue;
      }
      Problem problem = now.verdict().problems().getFirst();
      assertThat(problem.severity()).as("second %d", second).isEqualTo(Severity.BAD);
      assertThat(problem.figure()).as("second %d", second).isEqualTo(0.3);
      assertThat(figures(problem, Figures.Failures.class))
          .returns(0.3, Figures.Failures::shareNow)
          .returns(6L * second, Figures.Failures::lately);
      assertThat(orders(now).severity()).isEqualTo(Severity.BAD);
      assertThat(orders(now).failingShare()).isEqualTo(0.3);
    }
    assertThat(first(services.run(3), Figures.Failures.class).shareNow()).isNotNull();
    Snapshot over = services.run(1);
    assertThat(orders(over).failingShare()).isNull();
    assertThat(over.verdict().problems().getFirst())
        .satisfies(it -> {
          assertThat(it.severity()).isEqualTo(Severity.WATCH);
          assertThat(figures(it, Figures.Failures.class))
              .returns(180L, Figures.Failures::count)
              .returns(3060L, Figures.Failures::performed)
              .returns(Duration.ofSeconds(4), Figures.Failures::over);
        });
    areOpen(0);
    assertThat(services.run(1).verdict().problems()).as("all are decided").isEmpty();
    orders.failed += 6;
    areOpen(6);
    assertThat(services.run(1).verdict().problems()).as("the next fail").hasSize(1);
  }

  @Test
  void oneFailureOfFewStatementsIsNoAlertButTenAre() {
    orders.accepts = 0.2;
    services.run(60);
    orders.failed = 1;
    Snapshot snapshot = services.run(60);
    assertThat(snapshot.verdict().problems()).as("1 of 24").isEmpty();
    assertThat(orders(snapshot).severity()).isEqualTo(Severity.FINE);
    orders.failed = 9;
    assertThat(services.run(60).verdict().problems()).isEmpty();
    orders.failed = 10;
    assertThat(services.run(60).verdict().problems())
        .extracting(Problem::kind)
        .containsExactly(AlertKind.FAILING);
  }

  @Test
  void threeFailuresAreAnAlertIfMostStatementsFail() {
    orders.accepts = 0.05;
    services.run(60);
    orders.failed = 2;
    assertThat(services.run(20).verdict().problems()).isEmpty();
    orders.failed = 3;
    assertThat(services.run(20).verdict().problems())
        .extracting(Problem::kind)
        .containsExactly(AlertKind.FAILING);
  }

  @Test
  void anAlertOfFewFailuresSaysThatItCloses() {
    services.run(20);
    orders.failed = 100;
    services.run(80);
    assertThat(first(services.run(10), Figures.Failures.class).closes()).isFalse();
    assertThat(first(services.run(40), Figures.Failures.class).closes()).isTrue();
  }

  private void areOpen(long count) {
    doReturn(Optional.of(new OpenFailures.Open(count, false)))
        .when(services.failures)
        .of(eq("orders-post"), any());
  }

  /** A disk that is full after this time, at any rate. */
  private static final class Filling implements Host {

    private Until left = new Until.Passed();

    @Override
    public Optional<VolumeView> volume() {
      return Optional.empty();
    }

    @Override
    public Figure<Runway> runway() {
      return Figure.measured(new Runway(left, left, left, true));
    }

    @Override
    public Figure<Until> fullWith(double extraBytesPerSecond) {
      return Figure.measured(left);
    }
  }
}
