/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.admin.verdict.AlertKind;
import io.forebay.admin.verdict.Cause;
import io.forebay.admin.verdict.Figures;
import io.forebay.admin.verdict.Problem;
import io.forebay.admin.verdict.Verdict;
import io.forebay.capacity.Lag;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Alerts of busy workers and of slow databases. */
class DatabaseVerdictTest extends SimulatedOrders {

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
      orders.lost = 0.75;
      snapshot = services.run(1);
      assertThat(orders(snapshot).report().isDatabaseSlow()).as("second %d", second).isFalse();
    }
    Problem busy =
        snapshot.verdict().problems().stream()
            .filter(it -> it.figures() instanceof Figures.Behind)
            .findFirst()
            .orElseThrow();
    Cause cause = figures(busy, Figures.Behind.class).cause();
    assertThat(cause.slower().lost()).isCloseTo(0.75, within(0.01));
    assertThat(cause.slower().perSecond())
        .isCloseTo(21, within(0.1))
        .isEqualTo(services.watches.getLast().past().cautiousRate().known().orElseThrow());
    assertThat(cause.can()).isCloseTo(100, within(0.1));
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
}
