/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.admin.verdict.AlertKind;
import io.forebay.admin.verdict.AlertRule;
import io.forebay.admin.verdict.Cause;
import io.forebay.admin.verdict.Figures;
import io.forebay.admin.verdict.Judge;
import io.forebay.admin.verdict.Problem;
import io.forebay.admin.verdict.Verdict;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.Until;
import io.forebay.report.ServiceReport;
import io.forebay.service.ServiceState.Phase;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Alerts of services that are behind or will be, and of busy workers. */
class LagVerdictTest extends SimulatedOrders {

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
  void pastItsLimitIsBadAtOnceAndSoIsItsBurst() {
    services.run(60);
    orders.performs = 1;
    services.sample(310);
    Snapshot snapshot = services.run(2);
    assertThat(behind(snapshot).now().lag().late()).isEqualTo(Figure.measured(new Until.Passed()));
    assertThat(snapshot.verdict().problems().getFirst().severity()).isEqualTo(Severity.BAD);
    assertThat(orders(snapshot).burst().onTime()).isEqualTo(Figure.measured(new Until.Passed()));
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

  /** A slow database is itself why statements time out or expire. */
  @Test
  void aDatabaseIsCalledSlowAlsoWhileStatementsFail() {
    orders.accepts = 25;
    services.run(600);
    orders.performs = 16;
    for (int second = 0; second < 30; second++) {
      orders.failed += 8;
      services.run(1);
    }
    Snapshot snapshot = services.run(1);
    assertThat(orders(snapshot).report().slowerNow().perSecond())
        .isCloseTo(16, within(0.1))
        .isEqualTo(services.watches.getLast().past().cautiousRate().known().orElseThrow());
    assertThat(snapshot.verdict().problems())
        .filteredOn(it -> it.figures() instanceof Figures.Behind)
        .singleElement()
        .satisfies(
            it -> assertThat(figures(it, Figures.Behind.class).cause().slower()).isNotNull());
  }

  /** A batch with such a statement is performed again in pieces. */
  @Test
  void aDatabaseIsNotCalledSlowIfStatementsFailByThemselves() {
    orders.performs = 100;
    orders.accepts = 120;
    services.run(120);
    orders.accepts = 25;
    services.run(600);
    orders.performs = 21;
    Snapshot snapshot = services.run(1);
    for (int second = 0; second < 60; second++) {
      orders.failed += 7;
      orders.rejected += 7;
      snapshot = services.run(1);
      assertThat(orders(snapshot).report().isDatabaseSlow()).as("second %d", second).isFalse();
    }
    Problem busy =
        snapshot.verdict().problems().stream()
            .filter(it -> it.figures() instanceof Figures.Behind)
            .findFirst()
            .orElseThrow();
    Cause cause = figures(busy, Figures.Behind.class).cause();
    assertThat(cause.slower().rejected()).isCloseTo(0.33, within(0.01));
    assertThat(cause.slower().perSecond())
        .isCloseTo(21, within(0.1))
        .isEqualTo(services.watches.getLast().past().cautiousRate().known().orElseThrow());
    assertThat(cause.can()).isCloseTo(100, within(0.1));
  }

  /** Such as one whose batches take longer. */
  @Test
  void aServiceThatStaysALittleBehindIsFineUntilWaitingMatters() {
    Until never = new Until.Never("it does not fall behind");
    assertThat(steady(6, never)).isEqualTo(Severity.FINE);
    assertThat(steady(30, never)).isEqualTo(Severity.WATCH);
    assertThat(steady(6, new Until.In(Duration.ofMinutes(10)))).isEqualTo(Severity.WATCH);
  }

  private static Severity steady(long secondsBehind, Until late) {
    return severity(ServiceReport.State.STEADY, Lag.State.STEADY, secondsBehind, late);
  }

  private static Severity severity(
      ServiceReport.State state, Lag.State lagState, long secondsBehind, Until late) {
    Lag lag =
        new Lag(
            Figure.measured(Duration.ofSeconds(secondsBehind)),
            Figure.measured(1L),
            lagState,
            Figure.measured(0.0),
            Figure.measured(new Until.Never("not at this rate")),
            Figure.measured(late),
            null);
    ServiceReport report = mock();
    when(report.state()).thenReturn(state);
    when(report.lag()).thenReturn(lag);
    when(report.behindShare()).thenReturn(Figure.measured(secondsBehind / 300.0));
    return Judge.severity(report, List.of());
  }

  @Test
  void aStopThatPerformsAllMessagesIsFine() {
    services.run(60);
    orders.phase = Phase.DRAINING;
    Snapshot snapshot = services.run(1);
    assertThat(state(snapshot)).isEqualTo("draining");
    assertThat(orders(snapshot).severity()).isEqualTo(Severity.FINE);
  }

  /** How busy the workers are is unknown for 3 s after a backlog. */
  @Test
  void theAlertOfBusyWorkersStaysOpenAfterAPauseOfSeconds() {
    orders.accepts = 960;
    services.run(180);
    orders.performs = 0.001;
    services.run(6);
    orders.performs = 1_000_000;
    services.run(1);
    orders.performs = 1000;
    services.run(20);
    assertThat(services.alerts.since(SimulatedServices.START))
        .filteredOn(it -> it.problem().kind() == AlertKind.DATABASE)
        .hasSize(1);
  }

  /** Another instance has taken them. */
  @Test
  void theAlertOfBusyWorkersClosesIfTheInstanceLosesItsPartitions() {
    orders.accepts = 960;
    assertThat(services.run(180).verdict().problems())
        .extracting(Problem::kind)
        .containsExactly(AlertKind.DATABASE);
    orders.accepts = 0;
    orders.partitions = List.of();
    assertThat(services.run(60).verdict().problems()).isEmpty();
  }

  @Test
  void aServiceThatCatchesUpIsNotGreenAlsoWithoutAnAlert() {
    Until never = new Until.Never("it does not fall behind");
    assertThat(severity(ServiceReport.State.DRAINING, Lag.State.DRAINING, 40, never))
        .isEqualTo(Severity.WATCH);
    assertThat(severity(ServiceReport.State.RESUMING, Lag.State.DRAINING, 40, never))
        .isEqualTo(Severity.WATCH);
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
  void aUsualBurstThatWouldBeLateNeverGetsWorseThanWatch() {
    AlertRule rule = AlertKind.BURST.rule();
    assertThat(rule.bad()).isEqualTo(rule.watch());
    assertThat(rule.watch().value()).as("a burst of the usual length has room").isEqualTo(1);
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
}
