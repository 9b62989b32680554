/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.capacity.Alert.Severity;
import io.forebay.capacity.DirtyMemory;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.FileRetention;
import io.forebay.capacity.disk.Runway;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What is said while a disk fills, while it is full, and after room was made. */
class DiskVerdictTest {

  private static final long GB = 1_000_000_000;
  private static final Figure<Runway> UNKNOWN = Figure.unknown("needs 15 minutes of history");

  private final Judge judge = new Judge();
  private Instant now = Instant.parse("2026-03-02T10:00:00Z");

  /** The problems after some seconds with a disk of 110 GB, of which 100 GB may be used. */
  private List<Problem> judge(int seconds, long usedGigabytes, Figure<Runway> runway) {
    Host.VolumeView view =
        new Host.VolumeView(
            "/data",
            Figure.measured(new Volume(110 * GB, usedGigabytes * GB, 10 * GB)),
            runway,
            Optional.of(new FileRetention.Next(new Until.In(Duration.ofMinutes(42)), 256_000_000)),
            Figure.measured(0.97));
    List<Problem> problems = List.of();
    for (int i = 0; i < seconds; i++) {
      now = now.plusSeconds(1);
      problems = judge.judge(now, List.of(), new OneVolume(view), List.of(), List.of());
    }
    return problems;
  }

  private static Figure<Runway> full(Duration in) {
    Until middle = new Until.In(in);
    Until low = new Until.In(in.dividedBy(2));
    return Figure.estimated(
        new Runway(middle, low, middle, 1, Instant.EPOCH, Runway.Confidence.ROUGH), "rough");
  }

  @Test
  void warnsByLevelAlthoughNoForecastIsKnown() {
    assertThat(judge(30, 79, UNKNOWN)).isEmpty();
    assertThat(judge(30, 81, UNKNOWN))
        .singleElement()
        .satisfies(it -> {
          assertThat(it.kind()).isEqualTo(AlertKind.SPACE);
          assertThat(it.severity()).isEqualTo(Severity.WATCH);
          assertThat(it.volume()).isEqualTo("/data");
          assertThat(it.text())
              .isEqualTo(
                  "/data: 19 % of what may be used is free (18 GiB). 97 % of its growth is not Forebay's. The next file (244 MiB) is deleted in 42 m.");
        });
    assertThat(judge(30, 91, UNKNOWN)).extracting(Problem::severity).containsExactly(Severity.BAD);
  }

  @Test
  void theForecastAndTheLevelAreOneProblem() {
    judge(30, 50, UNKNOWN);
    assertThat(judge(30, 91, full(Duration.ofMinutes(4))))
        .singleElement()
        .satisfies(it -> {
          assertThat(it.kind()).isEqualTo(AlertKind.DISK);
          assertThat(it.severity()).isEqualTo(Severity.BAD);
          assertThat(it.text())
              .startsWith(
                  "/data will be full in about 4 m (2 m at the earliest; rough). 97 % of its");
        });
  }

  @Test
  void fullIsSaidAtOnceAndNoLongerWithinThreeSecondsAfterRoomWasMade() {
    judge(30, 50, UNKNOWN);
    assertThat(judge(1, 100, full(Duration.ofSeconds(1))))
        .first()
        .satisfies(it -> {
          assertThat(it.kind()).isEqualTo(AlertKind.DISK);
          assertThat(it.text())
              .startsWith("/data is full: messages are refused until space is freed. 97 %");
        });
    assertThat(judge(60, 100, full(Duration.ofSeconds(1)))).hasSize(1);
    assertThat(judge(3, 20, UNKNOWN)).isEmpty();
  }

  private record OneVolume(VolumeView view) implements Host {

    @Override
    public List<VolumeView> volumes() {
      return List.of(view);
    }

    @Override
    public DirtyMemory memory() {
      return DirtyMemory.unknown("not measured");
    }

    @Override
    public Figure<Until> fullLow(String service) {
      return view.runway().map(Runway::low);
    }

    @Override
    public Figure<Until> fullWith(String service, double extraBytesPerSecond) {
      return view.runway().map(Runway::middle);
    }

    @Override
    public Figure<Double> growthShare(String service) {
      return Figure.unknown("not measured");
    }
  }
}
