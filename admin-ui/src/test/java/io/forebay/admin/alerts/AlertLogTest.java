/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.alerts;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.admin.verdict.AlertKind;
import io.forebay.admin.verdict.Cause;
import io.forebay.admin.verdict.Figures;
import io.forebay.admin.verdict.Problem;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.Until;
import io.forebay.report.ServiceReport;
import io.forebay.service.ServiceState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class AlertLogTest {

  private static final Instant START = Instant.parse("2026-11-20T01:00:00Z");

  private final List<AlertChange> changes = new ArrayList<>();
  private final AlertLog log = new AlertLog(changes::add);
  private Instant now = START;

  static Problem problem(
      AlertKind kind, Severity severity, @Nullable Double figure, Figures figures, Instant since) {
    return new Problem(
        kind.name().toLowerCase(Locale.ROOT) + "~orders",
        severity,
        kind,
        "orders",
        null,
        null,
        null,
        since,
        figure,
        figures);
  }

  static Figures figures(String reason) {
    return new Figures.Stopped(ServiceState.Phase.RUNNING, reason);
  }

  private Problem problem(AlertKind kind, Severity severity, @Nullable Double figure) {
    return problem(kind, severity, figure, figures("orders at " + figure), now);
  }

  private Problem behind(double share) {
    return problem(AlertKind.BEHIND, share < 1 ? Severity.WATCH : Severity.BAD, share);
  }

  /** Sees these problems every second. */
  private void seconds(int seconds, Problem... problems) {
    for (int i = 0; i < seconds; i++) {
      now = now.plusSeconds(1);
      log.observe(Arrays.asList(problems), now);
    }
  }

  private List<String> events() {
    return changes.stream().map(AlertChange::id).toList();
  }

  @Test
  void hasDurationAndPeakOfEachAlert() {
    seconds(10, behind(0.6));
    seconds(10, behind(3.5));
    seconds(40, behind(1.1));
    seconds(20);
    seconds(5, problem(AlertKind.WAITING, Severity.WATCH, null));
    AlertRecord past = log.since(START).getLast();
    assertThat(past.severity()).isEqualTo(Severity.BAD);
    assertThat(past.peak()).isEqualTo(3.5);
    assertThat(past.problem().figures()).isEqualTo(figures("orders at 3.5"));
    assertThat(past.opened()).isEqualTo(START);
    assertThat(past.closed()).isEqualTo(START.plusSeconds(60));
    assertThat(log.since(START)).hasSize(2);
    assertThat(log.since(START.plusSeconds(60)))
        .singleElement()
        .satisfies(it -> assertThat(it.closed()).isNull());
  }

  /** Receivers drop a change whose id they know. */
  @Test
  void anAlertThatComesBackWithItsOldTimeIsAnotherOne() {
    Problem busy = problem(AlertKind.DATABASE, Severity.WATCH, 0.8);
    seconds(10, busy);
    seconds(5);
    seconds(5, busy);
    assertThat(events()).hasSize(3).doesNotHaveDuplicates();
    assertThat(log.since(START))
        .extracting(AlertRecord::opened)
        .containsExactly(START.plusSeconds(16), START);
  }

  @Test
  void theLowestValueIsThePeakIfLowerIsWorse() {
    seconds(1, problem(AlertKind.DISK, Severity.WATCH, 3600.0));
    seconds(1, problem(AlertKind.DISK, Severity.WATCH, 600.0));
    seconds(1, problem(AlertKind.DISK, Severity.WATCH, 1800.0));
    AlertRecord open = log.since(START).getFirst();
    assertThat(open.peak()).isEqualTo(600);
  }

  /** The forecast is shortest at the beginning of a burst, and the wait is longest at its end. */
  @Test
  void thePeakOfAServiceThatWillBeLateIsHowFarItWasBehind() {
    seconds(1, late(360, 5));
    seconds(1, late(240, 110));
    seconds(1, late(300, 20));
    AlertRecord open = log.since(START).getFirst();
    assertThat(open.peak()).isEqualTo(110);
    assertThat(open.problem().figures()).isEqualTo(late(240, 110).figures());
  }

  private Problem late(double seconds, long secondsBehind) {
    Figure<Double> rate = Figure.measured(1.0);
    Figure<Until> until = Figure.measured(new Until.Never("not at this rate"));
    Lag lag =
        new Lag(
            Figure.measured(Duration.ofSeconds(secondsBehind)),
            Figure.measured(1L),
            Lag.State.GROWING,
            rate,
            until,
            until,
            null);
    Figures.Standing standing =
        new Figures.Standing(
            ServiceReport.State.GROWING,
            "",
            true,
            Duration.ofMinutes(5),
            Lag.State.GROWING,
            lag,
            rate,
            rate);
    Cause unknown = new Cause(null, null, null, null);
    return problem(
        AlertKind.LATE, Severity.BAD, seconds, new Figures.Behind(standing, unknown), now);
  }

  /** Such as a full disk, of which others use the reserve, too. */
  @Test
  void keepsTheLastFiguresOfAnAlertAtItsPeak() {
    seconds(1, problem(AlertKind.DISK, Severity.BAD, 0.0, figures("free at least 23 MiB"), now));
    seconds(1, problem(AlertKind.DISK, Severity.BAD, 0.0, figures("free at least 141 MiB"), now));
    seconds(1, problem(AlertKind.DISK, Severity.BAD, 600.0, figures("full in 10 m"), now));
    assertThat(log.since(START).getFirst().problem().figures())
        .isEqualTo(figures("free at least 141 MiB"));
  }

  @Test
  void aBreakOfASecondIsNoClosing() {
    seconds(5, behind(0.6));
    seconds(1);
    seconds(5, behind(0.6));
    assertThat(log.since(START)).hasSize(1);
    assertThat(events()).containsExactly("behind~orders~1795136400000~opened");
  }

  @Test
  void tellsWhenAnAlertOpensGetsWorseAndCloses() {
    seconds(3, behind(0.6));
    seconds(3, behind(1.2));
    seconds(3, behind(0.9));
    seconds(10);
    assertThat(events())
        .as("the same id whenever it is told")
        .containsExactly(
            "behind~orders~1795136400000~opened",
            "behind~orders~1795136400000~worse",
            "behind~orders~1795136400000~closed");
    assertThat(changes.getLast().alert().closed()).isEqualTo(START.plusSeconds(9));
  }

  @Test
  void aClockThatIsSetBackKeepsNoAlertOpen() {
    seconds(5, behind(0.6));
    now = now.minus(Duration.ofHours(1));
    seconds(1, behind(1.2));
    seconds(5);
    assertThat(changes)
        .extracting(AlertChange::event)
        .containsExactly(
            AlertChange.Event.OPENED, AlertChange.Event.WORSE, AlertChange.Event.CLOSED);
  }

  @Test
  void closedAlertsAreKeptForADay() {
    seconds(5, behind(0.6));
    seconds(5);
    now = now.plus(Duration.ofHours(23));
    seconds(1);
    assertThat(log.since(START)).hasSize(1);
    now = now.plus(Duration.ofHours(1));
    seconds(1);
    assertThat(log.since(START)).isEmpty();
  }

  @Test
  void anAlertIsOpenSinceItOpenedAlsoAfterItGotWorse() {
    Instant opened = now;
    seconds(40, behind(0.6));
    seconds(1, behind(1.2));
    Problem worse = behind(1.2);
    assertThat(worse.since()).isAfter(opened);
    assertThat(log.apply(List.of(worse)).getFirst().since()).isEqualTo(opened);
  }
}
