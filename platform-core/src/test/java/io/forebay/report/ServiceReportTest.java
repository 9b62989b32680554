/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.report;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.ServiceHistory;
import io.forebay.capacity.ServiceSample;
import io.forebay.capacity.Until;
import io.forebay.operations.ServiceCounts;
import io.forebay.operations.ServiceView;
import io.forebay.service.ServiceState;
import io.forebay.service.ServiceState.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ServiceReportTest {

  private static final Duration LIMIT = Duration.ofMinutes(5);
  private static final ServiceCounts NO_COUNTS = new ServiceCounts(0, 0, 0, 0, 0);
  private static final Instant START = Instant.parse("2026-11-30T02:31:07Z");

  private final ServiceHistory history = new ServiceHistory();
  private final Logger logger = (Logger) LoggerFactory.getLogger(StateLog.class);
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
  private Instant now = START;
  private long accepted;
  private long performed;

  @BeforeEach
  void listen() {
    lines.start();
    logger.addAppender(lines);
  }

  @AfterEach
  void stop() {
    logger.detachAppender(lines);
  }

  /** One second in which so many messages come and are performed. */
  private void second(int comes, int goes, double busy) {
    now = now.plusSeconds(1);
    accepted += comes;
    performed = Math.min(accepted, performed + goes);
    Instant oldest = now.minusMillis(500 + (accepted - performed) * 1000 / Math.max(1, comes));
    history.add(
        new ServiceSample(
            now,
            OptionalLong.of(accepted),
            OptionalLong.of(performed),
            0,
            0,
            OptionalLong.of(accepted * 400),
            performed == accepted ? Optional.empty() : Optional.of(oldest),
            1,
            0,
            OptionalDouble.of(busy),
            false));
  }

  private ServiceReport report(Phase phase, @Nullable Outage outage) {
    return ServiceReport.of(
        new ServiceReport.Input(
            new ServiceView(
                "orders", new ServiceState(phase, "", START, null), List.of(), NO_COUNTS, null),
            Optional.empty(),
            LIMIT,
            history,
            outage,
            new RecentFailures(NO_COUNTS, NO_COUNTS, NO_COUNTS, null, null, null),
            behind -> behind.map(_ -> new Until.Never("kept")),
            Optional.empty(),
            Figure.unknown("-")));
  }

  private ServiceReport running() {
    return report(Phase.RUNNING, null);
  }

  @Test
  void isTheSameForTheSameInput() {
    for (int i = 0; i < 90; i++) {
      second(100, 1000, 0.1);
    }
    assertThat(running()).isEqualTo(running());
    assertThat(running().state()).isEqualTo(ServiceReport.State.KEEPING_UP);
  }

  @Test
  void headroomIsUnknownUntilTheFirstBusySecondThenALowerBound() {
    for (int i = 0; i < 90; i++) {
      second(100, 1000, 0.1);
    }
    assertThat(running().burst().then(BurstHeadroom::late))
        .isEqualTo(Figure.unknown("unknown until the first busy second"));
    second(900, 1000, 0.9);
    second(900, 1000, 0.9);
    ServiceReport report = running();
    assertThat(report.canAtLeast()).isEqualTo(900);
    assertThat(report.burst().then(BurstHeadroom::late))
        .isInstanceOfSatisfying(
            Figure.Estimated.class,
            it -> assertThat(it.how()).isEqualTo("the most that was seen; it may do more"));
    assertThat(report.burst().then(BurstHeadroom::late).known().orElseThrow().left().orElseThrow())
        .as("a burst of 1,000 per second, 900 of which are performed, for 5 minutes of 900")
        .isBetween(Duration.ofMinutes(44), Duration.ofMinutes(46));
    assertThat(report.burstShare())
        .as("no alert by a lower bound")
        .isInstanceOf(Figure.Unknown.class);
  }

  @Test
  void anOutageIsAnInputOfAllFigures() {
    for (int i = 0; i < 90; i++) {
      second(100, 1000, 0.1);
    }
    second(100, 0, 0);
    ServiceReport away = report(Phase.WAITING, new Outage(now, null));
    assertThat(away.lag().state()).isEqualTo(Lag.State.GROWING);
    assertThat(away.performed()).isEqualTo(Figure.measured(0.0));
    assertThat(List.of(away.can(), away.busy(), away.burst()))
        .containsOnly(Figure.unknown("the database is not responding"));
  }

  @Test
  void theStateIsLoggedWhenItHasLastedForFiveSecondsAndAFailureAtOnce() {
    StateLog log = new StateLog();
    log.note(running(), now);
    assertThat(lines.list).isEmpty();
    for (int i = 0; i < 20; i++) {
      second(100, 1000, 0.1);
      log.note(report(i == 10 ? Phase.WAITING : Phase.RUNNING, null), now);
    }
    assertThat(lines.list).as("a moment").isEmpty();
    for (int i = 0; i < 8; i++) {
      second(100, 1000, 0.1);
      log.note(report(Phase.PAUSED, null), now);
    }
    log.note(report(Phase.FAILED, null), now.plusSeconds(1));
    assertThat(lines.list)
        .extracting(ILoggingEvent::getFormattedMessage)
        .containsExactly(
            "State of service orders is now paused, was keeping up (0 s behind, limit=5 m, 0 messages"
                + " wait)",
            "State of service orders is now failed, was paused (0 s behind, limit=5 m, 0 messages"
                + " wait)");
  }
}
