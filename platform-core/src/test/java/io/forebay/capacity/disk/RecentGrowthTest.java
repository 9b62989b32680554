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
import io.forebay.capacity.series.RingLengths;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A disk that fills within minutes. */
class RecentGrowthTest {

  private static final Instant START = Instant.parse("2026-03-02T10:00:00Z");
  private static final long GB = 1_000_000_000;
  private static final long SIZE = 1_000 * GB;

  private final VolumeHistory history = new VolumeHistory(RingLengths.DEFAULT);
  private Instant now = START;
  private long used = 500 * GB;
  private long written;

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
              OptionalLong.of(written)));
      now = now.plusSeconds(1);
    }
  }

  private Outlook outlook() {
    return new Outlook(new Volume(SIZE, used, 100 * GB), List.of(), Optional.empty(), Map.of());
  }

  private Figure<Runway> runway() {
    return history.present(outlook());
  }

  private double seconds() {
    return runway().known().orElseThrow().middle().left().orElseThrow().toMillis() / 1000.0;
  }

  @Test
  void isKnownAfterTwoMinutes() {
    run(Duration.ofSeconds(60), GB, 0);
    assertThat(runway()).isInstanceOf(Figure.Unknown.class);
    run(Duration.ofSeconds(60), GB, 0);

    assertThat(seconds()).isCloseTo(280, within(10.0));
    Runway runway = runway().known().orElseThrow();
    assertThat(runway.confidence()).isEqualTo(Runway.Confidence.ROUGH);
    assertThat(runway.low().left().orElseThrow())
        .isBetween(Duration.ofSeconds(130), Duration.ofSeconds(150));
    assertThat(runway.high().left().orElseThrow())
        .isBetween(Duration.ofSeconds(540), Duration.ofSeconds(580));
  }

  @Test
  void theGrowthOfTheLastSecondsCountsOnceItHasLastedForFive() {
    used = 768 * GB; // and 72 GB in 20 hours
    run(Duration.ofHours(20), 1_000_000, 0);
    assertThat(runway().known().orElseThrow().middle().left().orElse(Duration.ofDays(30)))
        .isGreaterThan(Duration.ofHours(10));
    run(Duration.ofSeconds(4), 3 * GB / 10, 0);
    assertThat(seconds()).isGreaterThan(300);
    run(Duration.ofSeconds(2), 3 * GB / 10, 0);

    assertThat(seconds()).isCloseTo(194, within(2.0));
    assertThat(runway().known().orElseThrow().low().left().orElseThrow())
        .isBetween(Duration.ofSeconds(96), Duration.ofSeconds(98));
    assertThat(history.curve(outlook(), Duration.ofMinutes(4), 61).known().orElseThrow().middle())
        .element(30)
        .isEqualTo(900e9);
    run(Duration.ofSeconds(13), 1_000_000, 0);
    assertThat(seconds()).as("after the burst").isGreaterThan(300);
  }

  @Test
  void threeSecondsAreEnoughIfTheDiskIsFullWithinTwoMinutes() {
    used = 840 * GB;
    run(Duration.ofSeconds(30), 1_000_000, 0);
    run(Duration.ofSeconds(2), GB, 0);
    assertThat(runway()).isInstanceOf(Figure.Unknown.class);
    run(Duration.ofSeconds(1), GB, 0);
    assertThat(seconds()).isCloseTo(57, within(1.0));
  }

  /** A mean of minutes says ten times the truth, with a narrow band. */
  @Test
  void growthOfSecondsIsFollowedOrNotCountedAtAll() {
    used = 840 * GB;
    run(Duration.ofMinutes(20), 4_000_000, 0);
    for (int second = 1; second <= 50; second++) {
      run(Duration.ofSeconds(1), 4_000_000, GB);
      double truth = (900 * GB - used) / (1.0 * GB);
      Optional<Duration> left = runway().known().flatMap(it -> it.middle().left());
      assertThat(left.isPresent()).as("second %d: %s", second, left).isEqualTo(second >= 3);
      if (left.isPresent()) {
        assertThat(left.get().toMillis() / 1000.0).isCloseTo(truth, within(1.0));
      }
    }
  }

  /** Until it has lasted for two minutes, it says nothing of the next half an hour. */
  @Test
  void slowerGrowthOfOthersIsNotSpreadOverMinutes() {
    used = 540 * GB;
    run(Duration.ofMinutes(20), 20_000_000, 0);
    for (int second = 1; second <= 300; second++) {
      run(Duration.ofSeconds(1), 20_000_000, GB / 10);
      double truth = (900 * GB - used) / (GB / 10.0);
      runway()
          .known()
          .ifPresent(it -> {
            assertThat(it.low().left().orElse(Duration.ZERO).toSeconds())
                .as("low edge")
                .isLessThan((long) (1.3 * truth));
          });
    }
    assertThat(runway().known()).as("after five minutes").isPresent();
  }

  @Test
  void aBurstIsAddedToTheGrowthThatGoesOn() {
    used = 840 * GB;
    run(Duration.ofMinutes(20), 1_000_000, 0);
    run(Duration.ofSeconds(10), 1_000_000, GB / 2);
    Figure<Runway> burst = history.present(outlook().withExtra(GB / 2));
    assertThat(burst.known().orElseThrow().middle().left().orElseThrow().toMillis() / 1000.0)
        .isCloseTo(seconds() / 2, within(1.0));
  }

  /** Such as a file that is preallocated, or a disk that is asked every ten seconds. */
  @Test
  void aLeapIsNoGrowthThatLasts() {
    used = 840 * GB;
    run(Duration.ofSeconds(30), 1_000_000, 0);
    run(Duration.ofSeconds(1), 20 * GB, 0);
    for (int second = 0; second < 15; second++) {
      assertThat(runway()).as("second %d", second).isInstanceOf(Figure.Unknown.class);
      run(Duration.ofSeconds(1), 1_000_000, 0);
    }
  }

  @Test
  void whatOthersWriteCountsAndIsToldApart() {
    run(Duration.ofHours(20), 0, 1_000);
    assertThat(runway().known().orElseThrow().middle()).isInstanceOf(Until.Never.class);
    run(Duration.ofMinutes(2), GB / 20, GB);

    assertThat(seconds()).isCloseTo(260, within(15.0));
    assertThat(history.othersShare(outlook().volume()).known().orElseThrow())
        .isCloseTo(0.95, within(0.01));
    assertThat(history.othersPerSecond(outlook().volume()).known().orElseThrow())
        .as("not the mean of 24 hours")
        .isCloseTo(GB, within(0.01 * GB));
    Runway.Curve curve = history.curve(outlook(), Duration.ofMinutes(10), 61).known().orElseThrow();
    assertThat(curve.middle().get(10)).isLessThan(900e9);
    assertThat(curve.middle().get(40)).isEqualTo(900e9);
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
              OptionalLong.of(written)));
    }
    assertThat(history.growth().others()).isEqualTo(Figure.measured(0.0));
    assertThat(history.othersShare(outlook().volume())).isEqualTo(Figure.measured(0.0));
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
              OptionalLong.of(own)));
    }
    assertThat(history.growth().others()).isEqualTo(Figure.measured(0.0));
    assertThat(history.othersShare(outlook().volume())).isEqualTo(Figure.measured(0.0));
  }

  @Test
  void aShortBurstThatDoesNotFillTheDiskIsNoForecast() {
    run(Duration.ofHours(20), 1_000, 0);
    run(Duration.ofMinutes(2), GB / 10, 0);
    assertThat(runway().known().orElseThrow().middle()).isInstanceOf(Until.Never.class);
  }

  /** What follows a burst is a trickle, such as the results of its last messages. */
  @Test
  void theForecastEndsWithinFifteenSecondsAfterTheBurst() {
    run(Duration.ofMinutes(3), 10_000, 0);
    run(Duration.ofSeconds(70), 2 * GB, GB);
    assertThat(seconds()).isLessThan(300);
    run(Duration.ofSeconds(15), 10_000, 0);
    assertThat(runway()).isInstanceOf(Figure.Unknown.class);
  }

  /** With more history, the early edge of the band is drawn from the last minutes, too. */
  @Test
  void theEarlyEdgeFollowsTheEndOfABurst() {
    run(Duration.ofMinutes(20), GB / 1000, 0);
    run(Duration.ofMinutes(2), GB, 0);
    run(Duration.ofMinutes(1), GB / 1000, 0);
    Duration low = runway().known().orElseThrow().low().left().orElseThrow();
    double fromFiveMinutes = 280e9 / (120e9 / 300);
    assertThat(low.toSeconds()).isGreaterThan((long) (1.5 * fromFiveMinutes));
  }

  /** Files grow in leaps; between two of them the disk still fills. */
  @Test
  void theForecastDoesNotEndBetweenTwoLeaps() {
    for (int leap = 0; leap < 5; leap++) {
      run(Duration.ofSeconds(29), 0, 0);
      run(Duration.ofSeconds(1), 30 * GB, 0);
    }
    for (int second = 0; second < 28; second++) {
      run(Duration.ofSeconds(1), 0, 0);
      assertThat(runway().known()).as("second %d", second).isPresent();
    }
  }

  @Test
  void theShareOfOthersIsThatOfTheTimeThatIsExtrapolated() {
    run(Duration.ofMinutes(6), 0, GB / 10);
    run(Duration.ofMinutes(2), GB, 0);
    assertThat(seconds()).isLessThan(300);
    assertThat(history.othersShare(outlook().volume()).known().orElseThrow())
        .isCloseTo(0, within(0.01));
  }

  @Test
  void roomThatWasMadeIsSeenAtOnce() {
    run(Duration.ofMinutes(2), 0, GB);
    assertThat(seconds()).isLessThan(300);
    used -= 300 * GB;
    run(Duration.ofSeconds(10), 0, 0);
    assertThat(runway()).isInstanceOf(Figure.Unknown.class);
  }

  /** Less was freed than had been written before. */
  @Test
  void whatWasWrittenBeforeRoomWasMadeDoesNotCount() {
    run(Duration.ofMinutes(20), 1_000_000, 0);
    run(Duration.ofSeconds(100), 2 * GB, GB);
    used -= 200 * GB;
    run(Duration.ofSeconds(40), GB / 4, 0);
    Runway runway = runway().known().orElseThrow();
    assertThat(runway.middle().left().orElseThrow()).isGreaterThan(Duration.ofMinutes(15));
    assertThat(runway.low().left().orElseThrow()).isGreaterThan(Duration.ofMinutes(15));
  }

  @Test
  void theNextFileIsDeletedWhenItsTimeIsOverAndItsServicesHavePerformedIt() {
    FileRetention retention = new FileRetention(Duration.ofHours(1), Duration.ofHours(1));
    List<StoredFile> files =
        List.of(
            new StoredFile("a", 1, START.minus(Duration.ofHours(2)), Set.of("mail")),
            new StoredFile("b", 2, START.minus(Duration.ofMinutes(30)), Set.of()));
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
