/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.Traffic;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Design §5.3. */
final class RunwayEstimatorTest {

  private static final long EPOCH = 20_000L * 1440;
  private static final double TERA = 1e12;

  /** 1.26 TB per day, as §4.4 grows net. */
  private static final float RATE = (float) (1.26 * TERA / 86_400);

  private static final Duration HOUR = Duration.ofHours(1);

  private static float[] even(int minutes) {
    float[] rates = new float[minutes];
    Arrays.fill(rates, RATE);
    return rates;
  }

  private static Instant end(float[] rates) {
    return Instant.ofEpochSecond((EPOCH + rates.length) * 60);
  }

  private static Figure<Runway> ask(float[] rates, Outlook outlook) {
    return new RunwayEstimator(new GrowthHistory(EPOCH, rates), 0).runway(outlook, end(rates));
  }

  private static Runway runway(float[] rates, Outlook outlook) {
    return ask(rates, outlook).known().orElseThrow();
  }

  private static Outlook outlook(double usedTera) {
    return new Outlook(
        new Volume((long) (3.81 * TERA), (long) (usedTera * TERA), (long) (0.19 * TERA)),
        List.of(),
        Optional.empty(),
        Map.of());
  }

  private static double hours(Until until) {
    return Lag.seconds(until.left().orElseThrow()) / 3600;
  }

  @Test
  void isUnknownBefore15Minutes() {
    assertThat(ask(even(6), outlook(2.71)))
        .isEqualTo(Figure.unknown("needs 15 minutes of history, has 6"));
    assertThat(ask(even(14), outlook(2.71))).isInstanceOf(Figure.Unknown.class);
    assertThat(ask(even(15), outlook(3.6))).isInstanceOf(Figure.Estimated.class);
  }

  /** A few minutes say nothing about the next days. */
  @Test
  void reachesTenTimesAsFarAsItsHistory() {
    assertThat(ask(even(60), outlook(2.71)))
        .isEqualTo(Figure.unknown("not full within 10 h; a longer forecast needs more history"));
    assertThat(ask(even(120), outlook(2.71)).known()).isPresent();
    assertThat(ask(even(120), outlook(2.71).withIntake(0.8))).isInstanceOf(Figure.Unknown.class);
  }

  /** What is written within the retention fits, although it would fill the disk otherwise. */
  @Test
  void deletionsThatAreToComeCountAlreadyInTheFirstMinutes() {
    float[] rates = even(15);
    Outlook kept =
        new Outlook(
            outlook(0.1).volume(), List.of(), Optional.of(new FileRetention(HOUR, HOUR)), Map.of());
    Runway runway = runway(rates, kept);
    assertThat(runway.middle()).isInstanceOf(Until.Never.class);
    assertThat(runway.peakShare()).isLessThan(0.1);
  }

  @Test
  void isRoughAndWiderBefore48Hours() {
    Figure<Runway> rough = ask(even(47 * 60), outlook(2.71));
    assertThat(rough)
        .isInstanceOfSatisfying(
            Figure.Estimated.class, it -> assertThat(it.how()).startsWith("rough: needs 48 hours"));
    Runway early = rough.known().orElseThrow();
    Runway late = runway(even(48 * 60), outlook(2.71));
    assertThat(early.confidence()).isEqualTo(Runway.Confidence.ROUGH);
    assertThat(late.confidence()).isNotEqualTo(Runway.Confidence.ROUGH);
    assertThat(hours(early.high()) / hours(early.low()))
        .isGreaterThan(hours(late.high()) / hours(late.low()));
  }

  @Test
  void evenGrowthFillsTheRoomInRoomOverRateAndTheBandIsNeverNarrowerThanAQuarter() {
    Runway runway = runway(even(14 * 1440), outlook(2.71));
    double expected = (3.62 - 2.71) / 1.26 * 24;
    assertThat(hours(runway.middle())).isCloseTo(expected, within(0.01));
    assertThat(hours(runway.low())).isCloseTo(expected / 1.25, within(0.01));
    assertThat(hours(runway.high())).isCloseTo(expected * 1.25, within(0.01));
    assertThat(runway.confidence()).isEqualTo(Runway.Confidence.HIGH);
    assertThat(runway.peakShare()).isCloseTo(3.62 / 3.81, within(1e-6));
  }

  @Test
  void othersFillTheDiskToo() {
    float[] rates = even(14 * 1440);
    Runway runway =
        new RunwayEstimator(new GrowthHistory(EPOCH, rates), RATE)
            .runway(outlook(2.71), end(rates))
            .known()
            .orElseThrow();
    assertThat(hours(runway.middle())).isCloseTo((3.62 - 2.71) / 2.52 * 24, within(0.01));
  }

  @Test
  void isFullAtTheStopMarkNotAtTheEndOfTheDisk() {
    Runway runway = runway(even(14 * 1440), outlook(3.63));
    assertThat(runway.middle()).isEqualTo(new Until.Passed());
    assertThat(runway.low()).isEqualTo(new Until.Passed());
  }

  @Test
  void isDeterministicAndIgnoresTheFuture() {
    float[] rates = Traffic.BURSTS.minutes(14 * 1440, 1);
    float[] past = Arrays.copyOf(rates, 7 * 1440);
    Instant then = end(past);
    Figure<Runway> fromPast =
        new RunwayEstimator(new GrowthHistory(EPOCH, past), 0).runway(outlook(2.71), then);
    Figure<Runway> fromAll =
        new RunwayEstimator(new GrowthHistory(EPOCH, rates), 0).runway(outlook(2.71), then);
    assertThat(fromAll).isEqualTo(fromPast).isEqualTo(ask(past, outlook(2.71)));
  }

  private static final FileRetention THREE_DAYS = new FileRetention(Duration.ofHours(72), HOUR);

  /** Files of an hour each, as constant growth creates them, kept for that many hours. */
  private static List<StoredFile> files(Instant now, int hours, Set<String> neededBy) {
    List<StoredFile> files = new ArrayList<>();
    for (int hour = 0; hour < hours; hour++) {
      files.add(
          new StoredFile(
              "file-" + hour,
              (long) (RATE * 3600.0),
              now.minus(HOUR.multipliedBy(hour)),
              neededBy));
    }
    return files;
  }

  @Test
  void holdsWhereRetentionFreesAsMuchAsIsWrittenAndSaysItsPeak() {
    float[] rates = even(14 * 1440);
    Outlook full =
        new Outlook(
            new Volume((long) (8 * TERA), (long) (3.78 * TERA), (long) (0.4 * TERA)),
            files(end(rates), 72, Set.of("orders")),
            Optional.of(THREE_DAYS),
            Map.of("orders", new Until.Passed()));
    Runway runway = runway(rates, full);
    assertThat(runway.middle()).isEqualTo(new Until.Never("not within 30 days"));
    assertThat(runway.peakShare()).isCloseTo(3.83 / 8, within(0.01));
    assertThat(runway.confidence()).isEqualTo(Runway.Confidence.HIGH);
  }

  @Test
  void fillsWhereAPausedServiceHoldsTheFilesBack() {
    float[] rates = even(14 * 1440);
    Outlook held =
        new Outlook(
            new Volume((long) (8 * TERA), (long) (3.78 * TERA), (long) (0.4 * TERA)),
            files(end(rates), 72, Set.of("orders", "ledger-write")),
            Optional.of(THREE_DAYS),
            Map.of("orders", new Until.Passed(), "ledger-write", new Until.Never("it is paused")));
    double expected = (7.6 - 3.78) / 1.26 * 24;
    assertThat(hours(runway(rates, held).middle())).isCloseTo(expected, within(0.01));

    Outlook resumed = held.clearing("ledger-write", new Until.In(Duration.ofHours(5)));
    assertThat(runway(rates, resumed).middle()).isInstanceOf(Until.Never.class);
    Outlook tooLate = held.clearing("ledger-write", new Until.In(Duration.ofHours(80)));
    assertThat(hours(runway(rates, tooLate).middle())).isCloseTo(expected, within(0.01));
  }

  @Test
  void forecastsShorterRetentionAndHigherIntake() {
    float[] rates = even(14 * 1440);
    Outlook asIs =
        new Outlook(
            new Volume((long) (5 * TERA), (long) (3.78 * TERA), (long) (0.25 * TERA)),
            files(end(rates), 72, Set.of()),
            Optional.of(new FileRetention(Duration.ofDays(20), HOUR)),
            Map.of());
    double room = (4.75 - 3.78) / 1.26 * 24;
    assertThat(hours(runway(rates, asIs).middle())).isCloseTo(room, within(0.01));
    assertThat(hours(runway(rates, asIs.withIntake(2)).middle())).isCloseTo(room / 2, within(0.01));
    assertThat(hours(runway(rates, asIs.withExtra(3 * RATE)).middle()))
        .isCloseTo(room / 4, within(0.01));
    Outlook shorter =
        new Outlook(asIs.volume(), asIs.files(), Optional.of(THREE_DAYS), asIs.clears());
    assertThat(runway(rates, shorter).middle()).isInstanceOf(Until.Never.class);
  }

  @Test
  void aLongGapCountsNeitherAsGrowthNorAsStandstill() {
    float[] rates = even(14 * 1440);
    Arrays.fill(rates, 9 * 1440, 11 * 1440, Float.NaN);
    Runway runway = runway(rates, outlook(2.71));
    assertThat(hours(runway.middle())).isCloseTo((3.62 - 2.71) / 1.26 * 24, within(0.01));
    assertThat(runway.confidence()).isEqualTo(Runway.Confidence.HIGH);
  }

  @Test
  void knowsTheDayAheadAfterARestartWithoutAMinuteOfSamples() {
    float[] rates = Arrays.copyOf(Traffic.DAILY_WAVE.minutes(14 * 1440, 3), 14 * 1440 + 180);
    Arrays.fill(rates, 14 * 1440, rates.length, Float.NaN);
    assertThat(hours(runway(rates, outlook(2.71)).middle()))
        .isCloseTo((3.62 - 2.71) * TERA / Traffic.MEAN / 3600, within(3.0));
  }

  @Test
  void aDiskWithoutWritesNeverFills() {
    Runway runway = runway(new float[14 * 1440], outlook(2.71));
    assertThat(runway.middle()).isInstanceOf(Until.Never.class);
    assertThat(runway.low()).isInstanceOf(Until.Never.class);
    assertThat(runway.high()).isInstanceOf(Until.Never.class);
  }

  @Test
  void hasNoHitRateBeforeAForecastCanBeChecked() {
    float[] rates = Traffic.FLAT.minutes(50 * 60, 1);
    RunwayEstimator estimator = new RunwayEstimator(new GrowthHistory(EPOCH, rates), 0);
    assertThat(estimator.hitRate(Duration.ofHours(12), end(rates)))
        .isInstanceOf(Figure.Unknown.class);
  }

  @Test
  void itsHitRateFallsWhenTrafficChanges() {
    float[] rates = even(14 * 1440);
    for (int minute = 10 * 1440; minute < rates.length; minute++) {
      rates[minute] *= minute / 360 % 2 == 0 ? 0.1f : 6;
    }
    RunwayEstimator estimator = new RunwayEstimator(new GrowthHistory(EPOCH, rates), 0);
    Runway.HitRate wild = estimator.hitRate(Duration.ofHours(6), end(rates)).known().orElseThrow();
    assertThat(wild.share()).isLessThan(0.85);
    Runway.HitRate calm =
        estimator
            .hitRate(Duration.ofHours(6), Instant.ofEpochSecond((EPOCH + 9 * 1440) * 60))
            .known()
            .orElseThrow();
    assertThat(calm.share()).isEqualTo(1);
  }

  private static Runway.Curve curve(float[] rates, Outlook outlook, Duration atLeast) {
    return new RunwayEstimator(new GrowthHistory(EPOCH, rates), 0)
        .curve(outlook, end(rates), atLeast, 101)
        .known()
        .orElseThrow();
  }

  /** Hours until a line of the curve reaches the mark. */
  private static double fullHours(Runway.Curve curve, List<Double> line, double stop) {
    int full = 0;
    while (line.get(full) < stop) {
      full++;
    }
    return full * Lag.seconds(curve.step()) / 3600;
  }

  private static void fillsWhenTheRunwayPredicts(float[] rates, Outlook outlook) {
    Runway runway = runway(rates, outlook);
    Runway.Curve curve = curve(rates, outlook, Duration.ZERO);
    double step = Lag.seconds(curve.step()) / 3600;
    double stop = outlook.volume().stopBytes();
    Map<Until, List<Double>> lines =
        Map.of(
            runway.low(),
            curve.high(),
            runway.middle(),
            curve.middle(),
            runway.high(),
            curve.low());
    lines.forEach((until, line) ->
        assertThat(fullHours(curve, line, stop)).isBetween(hours(until), hours(until) + step));
    assertThat(100 * step).isCloseTo(hours(runway.high()), within(0.05));
  }

  @Test
  void eachLineOfTheCurveIsFullAtItsEdgeOfTheRunway() {
    fillsWhenTheRunwayPredicts(even(14 * 1440), outlook(2.71));
    fillsWhenTheRunwayPredicts(even(20 * 60), outlook(2.71));
    fillsWhenTheRunwayPredicts(Traffic.BURSTS.minutes(14 * 1440, 1), outlook(2.71));
    fillsWhenTheRunwayPredicts(Traffic.DAILY_WAVE.minutes(14 * 1440, 3), outlook(1.5));
  }

  @Test
  void theCurveBeginsWithWhatIsUsedAndStaysAtTheMarkOnceItIsFull() {
    float[] rates = even(14 * 1440);
    Runway.Curve curve = curve(rates, outlook(2.71), Duration.ofHours(100));
    assertThat(curve.first()).isEqualTo(end(rates));
    assertThat(curve.step()).isEqualTo(HOUR);
    for (List<Double> line : List.of(curve.middle(), curve.low(), curve.high())) {
      assertThat(line).hasSize(101).isSorted();
      assertThat(line.getFirst()).isEqualTo(2.71 * TERA);
      assertThat(line.getLast()).isCloseTo(3.62 * TERA, within(1.0));
    }
    assertThat(curve.middle().get(10))
        .isCloseTo(2.71 * TERA + RATE * 36_000.0, within(1e-6 * TERA));
    assertThat(curve.high().get(10)).isGreaterThan(curve.middle().get(10));
    assertThat(curve.low().get(10)).isLessThan(curve.middle().get(10));
  }

  @Test
  void theCurveGoesDownWhereRetentionFreesAndNoFartherThan30Days() {
    Outlook holds =
        new Outlook(
            new Volume((long) (8 * TERA), (long) (3.78 * TERA), (long) (0.4 * TERA)),
            files(Instant.ofEpochSecond((EPOCH + 14 * 1440) * 60), 72, Set.of()),
            Optional.of(new FileRetention(Duration.ofHours(24), HOUR)),
            Map.of());
    Runway.Curve day = curve(even(14 * 1440), holds, Duration.ofDays(1));
    assertThat(day.step()).isEqualTo(Duration.ofSeconds(864));
    assertThat(day.middle().get(1)).isLessThan(1.5 * TERA);
    Runway.Curve longest = curve(even(14 * 1440), holds, Duration.ofDays(365));
    assertThat(longest.step().multipliedBy(100)).isEqualTo(Runway.HORIZON);
    assertThat(longest.low().getLast()).isLessThanOrEqualTo(longest.high().getLast());
  }

  @Test
  void theCurveOfAFullDiskIsWhatIsUsed() {
    Runway.Curve curve = curve(even(14 * 1440), outlook(3.63), HOUR);
    assertThat(curve.low()).hasSize(101).containsOnly(3.63 * TERA);
    assertThat(curve.high()).isEqualTo(curve.low());
  }
}
