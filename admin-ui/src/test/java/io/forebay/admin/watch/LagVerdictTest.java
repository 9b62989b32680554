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

/** Alerts of services that are behind or will be. */
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

  @Test
  void aServiceThatCatchesUpIsNotGreenAlsoWithoutAnAlert() {
    Until never = new Until.Never("it does not fall behind");
    assertThat(severity(ServiceReport.State.DRAINING, Lag.State.DRAINING, 40, never))
        .isEqualTo(Severity.WATCH);
    assertThat(severity(ServiceReport.State.RESUMING, Lag.State.DRAINING, 40, never))
        .isEqualTo(Severity.WATCH);
  }

  @Test
  void aUsualBurstThatWouldBeLateNeverGetsWorseThanWatch() {
    AlertRule rule = AlertKind.BURST.rule();
    assertThat(rule.bad()).isEqualTo(rule.watch());
    assertThat(rule.watch().value()).as("a burst of the usual length has room").isEqualTo(1);
  }
}
