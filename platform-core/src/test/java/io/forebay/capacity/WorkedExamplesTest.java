/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.forebay.capacity.disk.FileRetention;
import io.forebay.capacity.disk.StoredFile;
import io.forebay.capacity.disk.VolumeHistory;
import io.forebay.capacity.disk.VolumeSample;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The worked examples of the design, each under the number of its section. */
final class WorkedExamplesTest {

  private static final Instant NOW = Instant.parse("2026-11-20T02:31:07Z");
  private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);
  private static final Percentage ROUNDED = Percentage.withPercentage(0.5);

  private static Lag lag(double accepted, double performed, double behindSeconds, long waiting) {
    return lag(accepted, performed, accepted, behindSeconds, waiting, false);
  }

  private static Lag lag(
      double accepted,
      double performed,
      double acceptedAtOldest,
      double behindSeconds,
      long waiting,
      boolean paused) {
    Instant oldest = NOW.minusNanos(Math.round(behindSeconds * 1e9));
    return Lag.of(
        new Lag.Input(
            new ServiceSample(
                NOW,
                OptionalLong.of(1_000_000 + waiting),
                OptionalLong.of(1_000_000),
                0,
                0,
                OptionalLong.of(0),
                Optional.of(oldest),
                1,
                0,
                OptionalDouble.of(0.97),
                paused),
            FIVE_MINUTES,
            Figure.measured(accepted),
            Figure.measured(performed),
            Figure.measured(acceptedAtOldest),
            accepted > performed ? Lag.State.GROWING : Lag.State.DRAINING,
            Lag.SUSTAINED,
            false));
  }

  private static double seconds(Figure<Until> figure) {
    return Lag.seconds(figure.known().orElseThrow().left().orElseThrow());
  }

  @Nested
  @DisplayName("§5.1 seconds behind: A = 2,000, P = 1,650, S = 252 s")
  final class SecondsBehind {

    private final Lag lag = lag(2000, 1650, 252, 504_000);

    @Test
    void fallsBehindBy0175SecondsPerSecond() {
      assertThat(lag.growth().known().orElseThrow()).isCloseTo(0.175, within(1e-9));
      assertThat(lag.state()).isEqualTo(Lag.State.GROWING);
    }

    @Test
    void passesItsFiveMinutesIn4Minutes34Seconds() {
      assertThat(seconds(lag.late())).isCloseTo(274, within(0.5));
    }

    @Test
    void asManyWaitAsCameInSinceTheOldest() {
      assertThat(lag.unperformed()).isEqualTo(Figure.measured(504_000L));
      assertThat((double) lag.unperformed().known().orElseThrow())
          .isEqualTo(2000 * Lag.seconds(lag.behind().known().orElseThrow()));
    }

    @Test
    void isNotClearedAtThisRate() {
      assertThat(lag.clear()).isEqualTo(Figure.measured(new Until.Never("not at this rate")));
    }

    @Test
    void isOneMinuteOfPauseWorthOfWaitingForItsFirstMinute() {
      // §4.15: while paused, the waiting messages grow by the intake; the limit passes in 5 m.
      Lag paused = lag(2000, 0, 2000, 0.001, 2, true);
      assertThat(paused.growth()).isEqualTo(Figure.measured(1.0));
      assertThat(seconds(paused.late())).isCloseTo(300, within(0.01));
    }
  }

  @Nested
  @DisplayName("§4.2 home")
  final class Home {

    @Test
    void ordersPostHasNothingLeftOnTimeOfATenfoldBurst() {
      BurstHeadroom.Service service = service(2000, 1650, 504_000, 400);
      assertThat(BurstHeadroom.late(20_000, service))
          .isEqualTo(Figure.measured(new Until.Passed()));
    }

    @Test
    void mailNotifyIsClearIn41Seconds() {
      Lag lag = lag(220, 530, 310, 41, 12_710, false);
      assertThat(lag.state()).isEqualTo(Lag.State.DRAINING);
      assertThat(seconds(lag.clear())).isCloseTo(41, within(0.01));
    }

    @Test
    void ledgerWriteIsPausedPastItsLimit() {
      Lag lag = lag(31, 0, 31, 1570, 48_210, true);
      assertThat(lag.state()).isEqualTo(Lag.State.PAUSED);
      assertThat(lag.late()).isEqualTo(Figure.measured(new Until.Passed()));
    }

    @Test
    void ordersQuoteKeepsUp() {
      Lag lag = lag(1240, 1240, 0.0009, 1);
      assertThat(lag.state()).isEqualTo(Lag.State.KEEPING_UP);
    }
  }

  private static BurstHeadroom.Service service(
      double accepted, double databaseRate, long waiting, double bytesPerMessage) {
    return new BurstHeadroom.Service(
        FIVE_MINUTES,
        Figure.measured(accepted),
        Figure.measured(databaseRate),
        Figure.measured(waiting),
        Figure.measured(bytesPerMessage));
  }

  @Nested
  @DisplayName("§5.2 burst headroom: A = 1,240, C = 3,260, limit 300 s, X = 12,400")
  final class Burst {

    private final BurstHeadroom.Service service = service(1240, 3260, 0, 400);
    private final BurstHeadroom burst =
        BurstHeadroom.of(12_400, service, Figure.measured(new Until.In(Duration.ofHours(29))));

    @Test
    void isOnTimeFor107Seconds() {
      assertThat(seconds(burst.late())).isCloseTo(107, within(0.5));
    }

    @Test
    void isCaughtUpWithIn484Seconds() {
      Duration late = burst.late().known().flatMap(Until::left).orElseThrow();
      assertThat(seconds(BurstCourse.of(12_400, late, service).recovery()))
          .isCloseTo(484, within(1.0));
      assertThat(seconds(BurstCourse.of(12_400, Duration.ofSeconds(107), service).recovery()))
          .isCloseTo(9140 * 107 / 2020.0, within(0.01));
    }

    @Test
    void theReferenceBurstIsTenTimesTheUsualRate() {
      assertThat(BurstHeadroom.referenceRate(Figure.measured(1240.0)))
          .isEqualTo(Figure.measured(12_400.0));
    }

    @Test
    void aBurstOfFiveMinutesIsLateAfter107SecondsAndOnTimeAgainWhenItsBacklogIsTheLimit() {
      // B(300) = 9,140 · 300 = 2,742,000; the limit is 300 · 3,260 = 978,000; C - A = 2,020.
      BurstCourse course = BurstCourse.of(12_400, Duration.ofMinutes(5), service);
      assertThat(seconds(course.late())).isCloseTo(107, within(0.01));
      assertThat(course.longestWait().known().orElseThrow().toSeconds()).isEqualTo(841);
      assertThat(seconds(course.onTime())).isCloseTo(300 + 1_764_000 / 2020.0, within(0.01));
      assertThat(seconds(course.recovery())).isCloseTo(2_742_000 / 2020.0, within(0.01));
      assertThat(course.bytes().known().orElseThrow()).isEqualTo(12_400L * 300 * 400);
      assertThat(course.points().getFirst()).isEqualTo(new BurstCourse.Point(0, 0));
      assertThat(course.points().getLast().behind()).as("it has caught up").isZero();
      assertThat(
              course.points().stream().mapToDouble(BurstCourse.Point::behind).max().orElseThrow())
          .isBetween(820.0, 842.0);
    }

    @Test
    void aShortBurstIsNotLateAndAnEndlessOneNeverCatchesUp() {
      BurstCourse brief = BurstCourse.of(12_400, Duration.ofSeconds(60), service);
      assertThat(brief.late()).isEqualTo(Figure.measured(new Until.Never("the burst ends before")));
      assertThat(brief.onTime()).isEqualTo(Figure.measured(new Until.Passed()));
      BurstCourse slow =
          BurstCourse.of(
              12_400,
              Duration.ofMinutes(5),
              new BurstHeadroom.Service(
                  service.limit(),
                  Figure.measured(4000.0),
                  service.databaseRate(),
                  service.unperformed(),
                  service.bytesPerMessage()));
      assertThat(slow.recovery().known().orElseThrow()).isInstanceOf(Until.Never.class);
      assertThat(slow.onTime().known().orElseThrow()).isInstanceOf(Until.Never.class);
      assertThat(
              BurstCourse.of(
                      1,
                      Duration.ofMinutes(5),
                      new BurstHeadroom.Service(
                          service.limit(),
                          service.accepted(),
                          Figure.unknown("no backlog"),
                          service.unperformed(),
                          service.bytesPerMessage()))
                  .points())
          .as("without a capacity")
          .isEmpty();
    }
  }

  @Nested
  @DisplayName("§4.4 and §5.3 storage: 2.71 of 3.81 TB used")
  final class Storage {

    private final Volume volume =
        new Volume(3_810_000_000_000L, 2_710_000_000_000L, 3_810_000_000_000L / 20);

    @Test
    void stopsAt362Terabytes() {
      assertThat(volume.stopBytes() / 1e12).isCloseTo(3.62, within(0.005));
      assertThat(volume.freeBytes() / 1e12).isCloseTo(0.91, within(0.005));
    }

    @Test
    void writtenMinusDeletedIs126TerabytesPerDayNet() {
      VolumeHistory history = new VolumeHistory();
      double written = 2.10e12 / 86_400;
      double deleted = 0.84e12 / 86_400;
      double others = 0.03e12 / 86_400;
      for (int second = 0; second < 600; second++) {
        history.add(
            new VolumeSample(
                NOW.plusSeconds(second),
                OptionalLong.of((long) (2.71e12 + second * (written - deleted + others))),
                OptionalLong.of((long) (second * written)),
                OptionalLong.of((long) (second * deleted)),
                OptionalLong.of((long) (1e12 + second * (written - deleted))),
                0));
      }
      VolumeHistory.Growth growth = history.growth();
      assertThat(terabytesPerDay(growth.written())).isCloseTo(2.10, ROUNDED);
      assertThat(terabytesPerDay(growth.deleted())).isCloseTo(0.84, ROUNDED);
      assertThat(terabytesPerDay(growth.others())).isCloseTo(0.03, ROUNDED);
      assertThat(terabytesPerDay(growth.net())).isCloseTo(1.26 + 0.03, ROUNDED);
    }

    private static double terabytesPerDay(Figure<Double> bytesPerSecond) {
      return bytesPerSecond.known().orElseThrow() * 86_400 / 1e12;
    }

    @Test
    void fortyOneFilesThatAreDueAreHeldByLedgerWrite() {
      List<StoredFile> files = new java.util.ArrayList<>();
      for (int i = 0; i < 41; i++) {
        files.add(
            new StoredFile(
                15_121_951_220L, NOW.minus(Duration.ofHours(1)), Set.of("ledger-write"), false));
      }
      files.add(new StoredFile(1L << 30, NOW.plusSeconds(1), Set.of("ledger-write"), false));
      files.add(new StoredFile(1L << 30, NOW.minus(Duration.ofHours(1)), Set.of(), false));
      FileRetention retention = new FileRetention(Duration.ofHours(24), Duration.ofHours(1));
      Map<String, FileRetention.Held> held = retention.heldBack(files, NOW);
      assertThat(held).containsOnlyKeys("ledger-write");
      assertThat(held.get("ledger-write").files()).isEqualTo(41);
      assertThat(held.get("ledger-write").bytes() / 1e12).isCloseTo(0.62, within(0.001));
    }

    @Test
    void unperformedMessagesAreDeletedIn71Hours() {
      // §5.3 Kafka: M = retention - S, with the 71 h of §4.15.
      assertThat(
              FileRetention.lossMargin(Duration.ofHours(72), Figure.measured(Duration.ofHours(1))))
          .isEqualTo(Figure.measured(new Until.In(Duration.ofHours(71))));
    }
  }
}
