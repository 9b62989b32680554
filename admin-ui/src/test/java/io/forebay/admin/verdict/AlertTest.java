/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.Until;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** Design §6. */
final class AlertTest {

  private static final Instant START = Instant.parse("2026-11-20T02:00:00Z");

  private Instant now = START;
  private Alert alert = Alert.fine(AlertRule.higherIsWorse(50, 100));

  private Severity after(int seconds, double value) {
    for (int i = 0; i < seconds; i++) {
      now = now.plusSeconds(1);
      alert = alert.next(now, Figure.measured(value));
    }
    return alert.severity();
  }

  private Severity unknown(int seconds) {
    for (int i = 0; i < seconds; i++) {
      now = now.plusSeconds(1);
      alert = alert.next(now, Figure.unknown("no sample"));
    }
    return alert.severity();
  }

  @Test
  void entersAfter15SecondsAtTheMark() {
    assertThat(after(15, 50)).isEqualTo(Severity.FINE);
    assertThat(after(1, 50)).isEqualTo(Severity.WATCH);
    assertThat(alert.since()).contains(START.plusSeconds(16));
  }

  @Test
  void isOpenSinceTheLowerMarkAlsoIfItGetsWorse() {
    after(16, 60);
    assertThat(after(60, 120)).isEqualTo(Severity.BAD);
    assertThat(alert.since()).contains(START.plusSeconds(16));
  }

  @Test
  void aShortPeakIsNoAlert() {
    assertThat(after(15, 500)).isEqualTo(Severity.FINE);
    after(1, 10);
    assertThat(after(15, 500)).isEqualTo(Severity.FINE);
  }

  @Test
  void leavesAfterTwoMinutesBelow80PercentOfTheMark() {
    after(16, 60);
    assertThat(after(1000, 40)).as("at 80 %").isEqualTo(Severity.WATCH);
    assertThat(after(120, 39.9)).isEqualTo(Severity.WATCH);
    assertThat(after(1, 39.9)).isEqualTo(Severity.FINE);
    assertThat(alert.since()).isEmpty();
  }

  @Test
  void aPeakRestartsTheTwoMinutes() {
    after(16, 60);
    after(119, 10);
    after(1, 45);
    assertThat(after(120, 10)).isEqualTo(Severity.WATCH);
    assertThat(after(1, 10)).isEqualTo(Severity.FINE);
  }

  @Test
  void badReturnsToWatchWhileTheFigureIsPastTheWatchMark() {
    assertThat(after(16, 120)).isEqualTo(Severity.BAD);
    assertThat(after(121, 70)).isEqualTo(Severity.WATCH);
    assertThat(after(121, 10)).isEqualTo(Severity.FINE);
  }

  @Test
  void doesNotFlickerAtTheMark() {
    int changes = 0;
    Severity before = Severity.FINE;
    for (int i = 0; i < 200; i++) {
      Severity severity = after(10, i % 2 == 0 ? 49 : 51);
      changes += severity == before ? 0 : 1;
      before = severity;
    }
    assertThat(changes).isZero();
    after(16, 51);
    for (int i = 0; i < 200; i++) {
      assertThat(after(60, i % 2 == 0 ? 30 : 51)).isEqualTo(Severity.WATCH);
    }
  }

  @Test
  void anUnknownFigureNeitherOpensNorClosesAnAlert() {
    after(10, 60);
    assertThat(unknown(60)).isEqualTo(Severity.FINE);
    assertThat(after(15, 60)).isEqualTo(Severity.FINE);
    assertThat(after(1, 60)).isEqualTo(Severity.WATCH);
    assertThat(unknown(600)).isEqualTo(Severity.WATCH);
  }

  @Test
  void lowerIsWorseForARunway() {
    alert = Alert.fine(AlertKind.DISK.ofFigure());
    assertThat(until(16, new Until.Never("holds"))).isEqualTo(Severity.FINE);
    assertThat(until(16, new Until.In(Duration.ofHours(23)))).isEqualTo(Severity.WATCH);
    assertThat(until(16, new Until.Passed())).isEqualTo(Severity.BAD);
    assertThat(until(121, new Until.In(Duration.ofHours(5)))).isEqualTo(Severity.BAD);
    assertThat(until(121, new Until.In(Duration.ofHours(6)))).isEqualTo(Severity.WATCH);
    assertThat(until(121, new Until.In(Duration.ofHours(29)))).isEqualTo(Severity.WATCH);
    assertThat(until(121, new Until.In(Duration.ofHours(31)))).isEqualTo(Severity.FINE);
  }

  private Severity until(int seconds, Until until) {
    for (int i = 0; i < seconds; i++) {
      now = now.plusSeconds(1);
      alert =
          alert.next(now, Figure.measured(until.left().map(Lag::seconds).orElse(Double.MAX_VALUE)));
    }
    return alert.severity();
  }

  @Test
  void aBreachInUnder5MinutesIsBadOnlyAfter60Seconds() {
    alert = Alert.fine(AlertKind.LATE.ofFigure());
    Until soon = new Until.In(Duration.ofSeconds(274));
    assertThat(until(60, soon)).isEqualTo(Severity.WATCH);
    assertThat(until(1, soon)).isEqualTo(Severity.BAD);
  }

  @Test
  void oneDeadLetterIsWorthWatchingAndNoneIsFine() {
    alert = Alert.fine(AlertKind.DEAD.ofFigure());
    assertThat(after(16, 1)).isEqualTo(Severity.WATCH);
    assertThat(after(121, 0)).isEqualTo(Severity.FINE);
  }

  @Test
  void aClockSetBackRestartsTheWaitingTime() {
    after(10, 60);
    now = now.minusSeconds(3600);
    assertThat(after(15, 60)).isEqualTo(Severity.FINE);
    assertThat(after(1, 60)).isEqualTo(Severity.WATCH);
  }

  @Test
  void marksInTheWrongOrderAreRefused() {
    assertThatThrownBy(() -> AlertRule.higherIsWorse(100, 50))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("watch=100.0, bad=50.0");
    assertThatThrownBy(() -> AlertRule.lowerIsWorse(50, 100))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
