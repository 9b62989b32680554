/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.capacity.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A disk of which 400 GB may be written. */
class RunwayTest {

  private static final Instant START = Instant.parse("2026-03-02T10:00:00Z");
  private static final long GB = 1_000_000_000;
  private static final long MB = 1_000_000;
  private static final long MIB = 1 << 20;
  private static final long SIZE = 1_000 * GB;
  private static final FileRetention KEPT_LONG =
      new FileRetention(Duration.ofDays(365), Duration.ofHours(1));

  private final VolumeHistory history = new VolumeHistory();
  private Instant now = START;
  private long used = 500 * GB;
  private long written;
  private long database;

  /** Samples each second while the queues and others write. */
  private void run(Duration time, long ours, long others) {
    for (long second = 0; second < time.toSeconds(); second++) {
      used += ours + others;
      written += ours;
      history.add(
          new VolumeSample(
              now,
              OptionalLong.of(used),
              OptionalLong.of(written),
              OptionalLong.of(0),
              OptionalLong.of(written),
              database));
      now = now.plusSeconds(1);
    }
  }

  private Outlook outlook() {
    return outlook(List.of(), KEPT_LONG, Map.of());
  }

  private Outlook outlook(
      List<StoredFile> files, FileRetention retention, Map<String, Until> clears) {
    return new Outlook(new Volume(SIZE, used, 100 * GB), files, retention, clears, 0);
  }

  private Figure<Runway> asked() {
    return history.runway(outlook());
  }

  private Runway runway() {
    return asked().known().orElseThrow();
  }

  private static double seconds(Until until) {
    return until.left().orElseThrow().toMillis() / 1000.0;
  }

  /** Until it is full, however short the history is. */
  private double seconds() {
    return Until.seconds(history.full(outlook()));
  }

  @Test
  void isKnownAfterSixSecondsWithARangeThatNarrows() {
    run(Duration.ofSeconds(6), MB, 0);
    assertThat(asked()).isEqualTo(Figure.unknown("the first forecast comes 6 s after the start"));
    run(Duration.ofSeconds(1), MB, 0);
    assertThat(runway().middle()).isEqualTo(new Until.Never("not within 2 m"));
    assertThat(runway().forAlerts()).as("a guess").isInstanceOf(Until.Never.class);
    assertThat(runway().low()).isEqualTo(new Until.In(Duration.ofMinutes(2)));
    run(Duration.ofHours(6), MB, 0);
    Runway early = runway();
    double expected = (900e9 - used) / MB;
    assertThat(seconds(early.middle())).isCloseTo(expected, within(0.01 * expected));
    assertThat(seconds(early.low())).isCloseTo(expected / 3, within(0.01 * expected));
    assertThat(early.forAlerts()).isEqualTo(early.low());
    run(Duration.ofHours(24), MB, 0);
    Runway later = runway();
    assertThat(asked())
        .isInstanceOfSatisfying(
            Figure.Estimated.class,
            it -> assertThat(it.how()).isEqualTo("from the growth of the last 1 d"));
    assertThat(seconds(later.middle()) / seconds(later.low()))
        .isBetween(1.25, 0.77 * seconds(early.middle()) / seconds(early.low()));
  }

  @Test
  void aHistorySaysNothingBeyondTwentyTimesItsLength() {
    run(Duration.ofMinutes(9), 0, 0);
    run(Duration.ofSeconds(1), 0, 0);
    assertThat(runway()).isEqualTo(new Runway(never("3 h"), in(Duration.ofHours(3)), null));
    run(Duration.ofHours(36), 0, 0);
    assertThat(runway()).isEqualTo(new Runway(never("20 d"), in(Duration.ofDays(20)), null));
  }

  private static Until never(String within) {
    return new Until.Never("not within " + within);
  }

  private static Until in(Duration time) {
    return new Until.In(time);
  }

  @Test
  void growthThatFillsTheDiskInMinutesIsKnownWithinOne() {
    used = 890 * GB;
    run(Duration.ofMinutes(20), MB, 0);
    run(Duration.ofSeconds(60), MB, 9 * MB);
    double truth = (900.0 * GB - used) / (10 * MB);
    assertThat(truth).isBetween(600.0, 1200.0);
    assertThat(seconds(runway().middle())).isCloseTo(truth, within(0.05 * truth));
  }

  @Test
  void noMoreIsPromisedThanGrowthThatHasJustBegunLeaves() {
    run(Duration.ofMinutes(20), 0, 0);
    assertThat(seconds(runway().low())).as("20 times the history").isGreaterThan(20_000);
    run(Duration.ofSeconds(20), 0, 500 * MB);
    assertThat(runway().begun()).as("the growth").isNotNull();
    assertThat(seconds(runway().low())).as("it is full in 780 s").isBetween(250.0, 780.0);
  }

  @Test
  void aPromiseIsNeverLongerThanTheRoomThatIsLeft() {
    run(Duration.ofMinutes(20), 0, 0);
    run(Duration.ofSeconds(10), 0, 500 * MB);
    for (int second = 10; second < 90; second++) {
      double truth = (900.0 * GB - used) / (500 * MB);
      assertThat(seconds(runway().low())).as("second %d", second).isBetween(200.0, truth);
      run(Duration.ofSeconds(1), 0, 500 * MB);
    }
  }

  @Test
  void whatOthersWriteIsShownAfterFiveSecondsAndAForecastAfterATwentiethOfIt() {
    used = 900 * GB - 730 * MIB;
    run(Duration.ofMinutes(4), 1_000, 0);
    int lasts = 0;
    for (int second = 1; second <= 90; second++) {
      run(Duration.ofSeconds(1), 1_000, MIB);
      double truth = (900.0 * GB - used) / MIB;
      @Nullable Until begun = runway().begun();
      if (second >= 5) {
        Until soonest = begun == null ? runway().middle() : begun;
        assertThat(seconds(soonest)).as("second %d", second).isCloseTo(truth, within(0.2 * truth));
        double least = begun == null ? truth / 1.5 : truth / 4;
        assertThat(seconds(runway().low())).as("second %d", second).isBetween(least, truth);
        assertThat(seconds()).as("of a burst").isEqualTo(seconds(soonest), within(1e-3));
        boolean isForecast = runway().forAlerts().left().isPresent();
        assertThat(begun != null || isForecast).as("second %d", second).isTrue();
        lasts = isForecast && lasts == 0 ? second : lasts;
      }
      assertThat(second >= 5 || begun == null).as("second %d", second).isTrue();
    }
    assertThat(lasts).isBetween(36, 50);
    assertThat(runway().begun()).as("beside a forecast that is as soon").isNull();
  }

  /** Such as a program that the machine does not always let run. */
  @Test
  void theForecastDoesNotJumpIfOthersPauseForASecond() {
    used = 900 * GB - 780 * MIB;
    run(Duration.ofMinutes(4), 1_000, 0);
    for (int second = 1; second <= 60; second++) {
      run(Duration.ofSeconds(1), 1_000, second % 7 == 3 ? 0 : MIB);
      double truth = (900.0 * GB - used) / (MIB * 6.0 / 7);
      if (second >= 6) {
        assertThat(seconds()).as("second %d", second).isCloseTo(truth, within(0.2 * truth));
      }
    }
  }

  /** One second of six says little, so the longest time in which others write evenly counts. */
  @Test
  void theForecastOfUnevenWritesSeldomJumps() {
    Random random = new Random(7);
    int jumps = 0;
    for (int writer = 0; writer < 20; writer++) {
      used = 900 * GB - 730 * MIB;
      run(Duration.ofMinutes(4), 1_000, 0);
      double before = 0;
      for (int second = 1; second <= 55; second++) {
        run(Duration.ofSeconds(1), 1_000, MIB / 2 * (1 + random.nextInt(3)));
        double likely = Until.seconds(asked().map(Runway::likely));
        jumps += before > 0 && Math.abs(likely / before - 1) > 0.15 ? 1 : 0;
        before = second >= 6 && Double.isFinite(likely) ? likely : 0;
      }
      run(Duration.ofMinutes(20), 1_000, 0);
    }
    assertThat(jumps).as("of 1,000").isLessThan(62);
  }

  /** Such as temporary files that a program writes for a few seconds. */
  @Test
  void whatOthersWriteForThreeSecondsIsNoForecast() {
    used = 900 * GB - 730 * MIB;
    run(Duration.ofMinutes(4), 1_000, 0);
    for (int pulse = 0; pulse < 20; pulse++) {
      for (int second = 0; second < 10; second++) {
        run(Duration.ofSeconds(1), 1_000, second < 3 ? MIB : 0);
        assertThat(runway().middle())
            .as("pulse %d, second %d", pulse, second)
            .isInstanceOf(Until.Never.class);
      }
      used -= 3 * MIB;
    }
  }

  @Test
  void growthThatIsNoForecastYetShortensWhatIsPromised() {
    run(Duration.ofMinutes(30), 0, 0);
    run(Duration.ofMinutes(5), 0, 8 * MB);
    double truth = (900.0 * GB - used) / (8 * MB);
    assertThat(runway().middle()).isInstanceOf(Until.Never.class);
    assertThat(seconds(runway().low())).isBetween((double) Duration.ofHours(9).toSeconds(), truth);
  }

  /** Such as a dump of a database beside a log that grows. */
  @Test
  void whatBeginsDoesNotReplaceAForecastThatLasts() {
    used = 900 * GB - (21_600 + 10_800) * MB;
    run(Duration.ofHours(6), 0, MB);
    Runway before = runway();
    run(Duration.ofSeconds(10), 0, 20 * MB);
    Runway begun = runway();
    assertThat(seconds(begun.begun())).isCloseTo(10_600 / 20.0, within(60.0));
    assertThat(seconds(begun.middle())).isCloseTo(seconds(before.middle()), within(600.0));
    assertThat(seconds(begun.forAlerts())).isCloseTo(seconds(before.forAlerts()), within(600.0));
    assertThat(seconds()).isEqualTo(seconds(begun.begun()), within(1e-3));
  }

  /** A log of a database on the same disk. */
  @Test
  void aBurstOfTheQueuesIsNotWhatOthersBegin() {
    used = 845 * GB;
    run(Duration.ofHours(2), 1_000, 2 * MB);
    run(Duration.ofSeconds(12), 60 * MB, 2 * MB);
    assertThat(runway().begun()).isNull();
  }

  @Test
  void theRateOfWhatBeginsCountsForebaysOwnDatabase() {
    used = 900 * GB - 12_000 * MB;
    run(Duration.ofMinutes(20), 1_000, 0);
    for (int second = 0; second < 12; second++) {
      database += 10 * MB;
      run(Duration.ofSeconds(1), 1_000, 20 * MB);
    }
    double truth = (900.0 * GB - used) / (20 * MB);
    assertThat(seconds(runway().begun())).isCloseTo(truth, within(0.1 * truth));
  }

  /** Such as a checkpoint of a database, whose log it deletes. */
  @Test
  void growthAfterOthersFreedSpaceCountsFromThen() {
    used = 898 * GB;
    run(Duration.ofMinutes(14), 0, GB / 1000);
    used -= GB;
    for (int second = 0; second < 90; second++) {
      run(Duration.ofSeconds(1), 0, 10 * MB);
      double truth = (900.0 * GB - used) / (10 * MB);
      if (second > truth / 20 + 1) {
        assertThat(seconds()).as("second %d", second).isCloseTo(truth, within(0.05 * truth));
      }
    }
    assertThat(runway().low().left().orElseThrow()).isLessThan(Duration.ofMinutes(4));
  }

  /** Such as a program that deletes its temporary files every few seconds. */
  @Test
  void othersThatFreeSpaceOftenDoNotHideTheGrowth() {
    used = 800 * GB;
    run(Duration.ofHours(2), 1_000, 0);
    for (int turn = 0; turn < 20; turn++) {
      run(Duration.ofSeconds(3), GB, 2 * MB);
      used -= 6 * MB;
    }
    double truth = (900.0 * GB - used) / GB;
    assertThat(seconds()).isCloseTo(truth, within(0.05 * truth));
  }

  /** What is its own for one instance is the growth of others for the other one. */
  @Test
  void twoInstancesOnOneDiskAgree() {
    RunwayTest other = new RunwayTest();
    run(Duration.ofMinutes(40), 3 * MB, MB);
    other.used = used;
    for (int minutes : new int[] {1, 10, 600}) {
      run(Duration.ofMinutes(minutes), 3 * MB, MB);
      other.run(Duration.ofMinutes(minutes), MB, 3 * MB);
      assertThat(seconds(runway().low())).isLessThanOrEqualTo(seconds(other.likely()));
      assertThat(seconds(other.runway().low())).isLessThanOrEqualTo(seconds(likely()));
    }
    assertThat(seconds()).isCloseTo(other.seconds(), within(0.01 * seconds()));
  }

  private Until likely() {
    return runway().middle().left().isPresent() ? runway().middle() : in(Runway.HORIZON);
  }

  @Test
  void forebaysOwnDatabaseIsNotOfOthers() {
    run(Duration.ofMinutes(1), 1_000, 0);
    for (int second = 0; second < 130; second++) {
      database += 8 * MB;
      run(Duration.ofSeconds(1), MB, 9 * MB);
    }
    assertThat(history.othersShare().known().orElseThrow()).isCloseTo(0.1, within(0.01));
    assertThat(history.othersPerSecond().known().orElseThrow()).isCloseTo(MB, within(0.1 * MB));
    assertThat(history.growth().database().known().orElseThrow()).isGreaterThan(0.4e12 / 86_400);
    used = 900 * GB - 600 * 10 * MB;
    assertThat(seconds()).as("its growth counts").isCloseTo(600, within(20.0));
  }

  @Test
  void evenGrowthFillsTheRoomInRoomOverRateAndTheRangeIsNeverNarrowerThanAQuarter() {
    run(Duration.ofHours(24), 10 * MB / 2, 0);
    used = 800 * GB;
    double expected = 100e9 / (5 * MB);
    assertThat(seconds()).isCloseTo(expected, within(0.01 * expected));
    assertThat(seconds(runway().low())).isCloseTo(expected / 1.25, within(0.01 * expected));
  }

  @Test
  void isFullAtTheStopMarkNotAtTheEndOfTheDisk() {
    run(Duration.ofMinutes(2), MB, 0);
    used = 901 * GB;
    assertThat(runway().middle()).isEqualTo(new Until.Passed());
    assertThat(runway().low()).isEqualTo(new Until.Passed());
  }

  /** What is written within the retention fits, although it would fill the disk otherwise. */
  @Test
  void deletionsThatAreToComeCountAlreadyInTheFirstMinutes() {
    run(Duration.ofMinutes(2), 10 * MB, 0);
    FileRetention retention = new FileRetention(Duration.ofHours(1), Duration.ofHours(1));
    assertThat(history.full(outlook(List.of(), retention, Map.of())).known())
        .contains(new Until.Never("not within 30 d"));
    assertThat(seconds()).as("without retention").isLessThan(60_000);
  }

  @Test
  void fillsWhereAPausedServiceHoldsTheFilesBack() {
    run(Duration.ofMinutes(2), 10 * MB, 0);
    FileRetention retention = new FileRetention(Duration.ofHours(1), Duration.ofHours(1));
    List<StoredFile> files =
        List.of(new StoredFile(40 * GB, now.minus(Duration.ofDays(1)), Set.of("mail"), false));
    Function<Until, Until> ifCleared =
        until ->
            history.full(outlook(files, retention, Map.of("mail", until))).known().orElseThrow();
    Until held = ifCleared.apply(new Until.Never("it is paused"));
    assertThat(seconds(held)).isCloseTo(398.8e9 / (10 * MB), within(500.0));
    assertThat(ifCleared.apply(new Until.In(Duration.ofHours(5)))).isInstanceOf(Until.Never.class);
    assertThat(ifCleared.apply(new Until.In(Duration.ofHours(80)))).isEqualTo(held);
  }

  @Test
  void whatOthersWriteCountsAndIsToldApart() {
    run(Duration.ofHours(20), 0, 1_000);
    run(Duration.ofMinutes(2), GB / 20, GB);

    assertThat(seconds()).isCloseTo(260, within(15.0));
    assertThat(history.othersShare().known().orElseThrow()).isCloseTo(0.95, within(0.01));
    assertThat(history.othersPerSecond().known().orElseThrow())
        .as("not the mean of 24 hours")
        .isCloseTo(GB, within(0.01 * GB));
    run(Duration.ofMinutes(5), 0, 0);
    assertThat(history.othersShare().known().orElseThrow())
        .as("it is full, and grows no more")
        .isCloseTo(0.95, within(0.01));
    run(Duration.ofMinutes(30), 0, 0);
    assertThat(history.othersShare().known().orElseThrow()).isCloseTo(0.95, within(0.01));
  }

  @Test
  void growthThatFillsTheDiskWithinMinutesCountsAfterSixSeconds() {
    used = 840 * GB;
    run(Duration.ofMinutes(20), 4 * MB, 0);
    for (int second = 1; second <= 50; second++) {
      run(Duration.ofSeconds(1), 4 * MB, GB);
      double truth = (900.0 * GB - used) / GB;
      if (second > 6) {
        assertThat(seconds()).as("second %d", second).isCloseTo(truth, within(1.0));
      } else {
        assertThat(seconds()).as("second %d", second).isGreaterThan(truth - 1);
      }
    }
  }

  @Test
  void aBurstIsAddedToTheGrowthThatGoesOn() {
    used = 840 * GB;
    run(Duration.ofMinutes(20), MB, 0);
    run(Duration.ofSeconds(10), MB, GB / 2);
    Until burst = history.full(outlook().withExtra(GB / 2.0)).known().orElseThrow();
    assertThat(seconds(burst)).isCloseTo(seconds() / 2, within(1.0));
  }

  /** Such as a file that is preallocated. */
  @Test
  void aLeapIsNoGrowthThatLasts() {
    used = 840 * GB;
    run(Duration.ofMinutes(10), MB, 0);
    run(Duration.ofSeconds(1), MB, 20 * GB);
    for (int second = 0; second < 200; second++) {
      assertThat(seconds()).as("second %d", second).isGreaterThan(10_000);
      run(Duration.ofSeconds(1), MB, 0);
    }
  }

  @Test
  void aShortBurstThatDoesNotFillTheDiskIsNoForecast() {
    run(Duration.ofHours(20), 1_000, 0);
    run(Duration.ofMinutes(2), GB / 10, 0);
    assertThat(runway().middle().left().orElse(Runway.HORIZON)).isGreaterThan(Duration.ofDays(10));
  }

  /** What follows a burst is a trickle, such as the results of its last messages. */
  @Test
  void theForecastEndsWithinAMinuteAfterTheBurst() {
    run(Duration.ofMinutes(3), 10_000, 0);
    run(Duration.ofSeconds(70), 2 * GB, GB);
    assertThat(seconds()).isLessThan(300);
    run(Duration.ofSeconds(60), 10_000, 0);
    assertThat(runway().middle().left().orElse(Runway.HORIZON)).isGreaterThan(Duration.ofDays(1));
  }

  @Test
  void theForecastDoesNotEndBetweenTwoLeaps() {
    for (int leap = 0; leap < 5; leap++) {
      run(Duration.ofSeconds(29), 0, 0);
      run(Duration.ofSeconds(1), 30 * GB, 0);
    }
    for (int second = 0; second < 28; second++) {
      run(Duration.ofSeconds(1), 0, 0);
      assertThat(seconds()).as("second %d", second).isLessThan(1_000);
    }
  }

  @Test
  void roomThatWasMadeIsSeenAtOnce() {
    run(Duration.ofMinutes(2), 0, GB);
    assertThat(seconds()).isLessThan(300);
    used -= 300 * GB;
    run(Duration.ofSeconds(10), 0, 0);
    assertThat(runway().middle().left().orElse(Runway.HORIZON)).isGreaterThan(Duration.ofDays(1));
  }

  /** Samples are not exactly a second apart, so a mean of rates is not the growth. */
  @Test
  void whatOthersWroteAndDeletedAgainIsNoGrowthOfOthers() {
    double late = 0;
    for (int second = 0; second < 1_200; second++) {
      written += 10_000;
      used += 10_000;
      long other = second >= 300 && second < 400 ? (second - 299) * 8L * GB / 1000 : 0;
      late = second == 400 ? 0.7 : second * 7 % 10 / 20.0;
      history.add(
          new VolumeSample(
              START.plusMillis(second * 1000L + (long) (1000 * late)),
              OptionalLong.of(used + other),
              OptionalLong.of(written),
              OptionalLong.of(0),
              OptionalLong.of(written),
              0));
    }
    assertThat(history.growth().others()).isEqualTo(Figure.measured(0.0));
    assertThat(history.othersShare()).isEqualTo(Figure.measured(0.0));
  }

  /** Such as the index of a queue, or a page that the file system allocates when it is read. */
  @Test
  void theFilesOfQueuesAreForebaysHoweverManyBytesMessagesTake() {
    long own = 0;
    for (int second = 0; second < 300; second++) {
      written += 6_000;
      own += second == 200 ? 8_000_000 : 7_000;
      history.add(
          new VolumeSample(
              START.plusSeconds(second),
              OptionalLong.of(used + own + second * 500L),
              OptionalLong.of(written),
              OptionalLong.of(0),
              OptionalLong.of(own),
              0));
    }
    assertThat(history.growth().others()).isEqualTo(Figure.measured(0.0));
    assertThat(history.othersShare()).isEqualTo(Figure.measured(0.0));
  }

  @Test
  void theNextFileIsDeletedWhenItsTimeIsOverAndItsServicesHavePerformedIt() {
    FileRetention retention = new FileRetention(Duration.ofHours(1), Duration.ofHours(1));
    List<StoredFile> files =
        List.of(
            new StoredFile(1, START.minus(Duration.ofHours(1)), Set.of("mail"), false),
            new StoredFile(2, START.plus(Duration.ofMinutes(30)), Set.of(), false));
    assertThat(retention.next(files, Map.of("mail", new Until.Never("paused")), START))
        .contains(new FileRetention.Next(new Until.In(Duration.ofMinutes(30)), 2));
    assertThat(retention.next(files, Map.of("mail", new Until.In(Duration.ofMinutes(5))), START))
        .contains(new FileRetention.Next(new Until.In(Duration.ofMinutes(5)), 1));
    assertThat(retention.next(files, Map.of(), START))
        .contains(new FileRetention.Next(new Until.Passed(), 1));
    assertThat(retention.next(List.of(), Map.of(), START)).isEmpty();
    assertThat(retention.freeing(3, files, Map.of(), START))
        .contains(new FileRetention.Next(new Until.In(Duration.ofMinutes(30)), 3));
    assertThat(retention.freeing(1, files, Map.of(), START))
        .contains(new FileRetention.Next(new Until.Passed(), 1));
    assertThat(retention.freeing(4, files, Map.of(), START)).isEmpty();
  }
}
