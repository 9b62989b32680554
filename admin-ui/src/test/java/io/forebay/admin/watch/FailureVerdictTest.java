/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doReturn;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.admin.verdict.AlertKind;
import io.forebay.admin.verdict.Figures;
import io.forebay.admin.verdict.Problem;
import io.forebay.operations.failures.Failures;
import io.forebay.report.OpenFailures;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Alerts of failed messages. */
class FailureVerdictTest extends SimulatedOrders {

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
                "orders.add", "check constraint qty_positive of orders violated"));
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
}
