/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.disk.Runway;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is said while a disk fills. */
class DiskVerdictTest extends JudgedDisk {

  @Test
  void warnsByLevelAlthoughNoForecastIsKnown() {
    assertThat(judge(30, 79, UNKNOWN)).isEmpty();
    assertThat(judge(30, 81, UNKNOWN))
        .singleElement()
        .satisfies(it -> {
          assertThat(it.kind()).isEqualTo(AlertKind.SPACE);
          assertThat(it.severity()).isEqualTo(Severity.WATCH);
          assertThat(it.volume()).isEqualTo("/data");
          assertThat(it.figure()).isEqualTo(0.19);
          assertThat(view(it).othersShare()).isEqualTo(Figure.measured(0.97));
          assertThat(view(it).next().orElseThrow().bytes()).isEqualTo(256_000_000);
        });
    List<Problem> bad = judge(30, 91, UNKNOWN);
    assertThat(bad).extracting(Problem::severity).containsExactly(Severity.BAD);
  }

  @Test
  void theForecastAndTheLevelAreOneProblem() {
    judge(30, 50, UNKNOWN);
    assertThat(judge(30, 91, full(Duration.ofMinutes(4))))
        .singleElement()
        .satisfies(it -> {
          assertThat(it.kind()).isEqualTo(AlertKind.DISK);
          assertThat(it.severity()).isEqualTo(Severity.BAD);
          assertThat(view(it).runway().known().orElseThrow())
              .isEqualTo(full(Duration.ofMinutes(4)).known().orElseThrow());
        });
  }

  @Test
  void aDiskThatIsFullInMinutesIsSaidAtOnce() {
    Figure<Runway> calm = full(Duration.ofDays(20));
    assertThat(judge(30, 50, calm)).isEmpty();
    assertThat(judge(1, 50, full(Duration.ofMinutes(6)))).as("opens by its rule").isEmpty();
    assertThat(judge(1, 50, full(Duration.ofSeconds(14))))
        .singleElement()
        .satisfies(it -> {
          assertThat(it.kind()).isEqualTo(AlertKind.DISK);
          assertThat(it.severity()).isEqualTo(Severity.BAD);
          assertThat(view(it).runway().known().orElseThrow().low())
              .isEqualTo(new Until.In(Duration.ofSeconds(7)));
        });
    assertThat(judge(4, 50, calm)).as("after the burst").isEmpty();
  }

  /** Others began to write a few seconds ago. */
  @Test
  void growthThatDoesNotLastYetIsSaidAtOnceAsAWarning() {
    judge(30, 50, full(Duration.ofDays(20)));
    Figure<Runway> soon = full(Duration.ofMinutes(12));
    assertThat(judge(30, 50, withBegun(Duration.ofDays(20))))
        .singleElement()
        .returns(AlertKind.DISK, Problem::kind)
        .returns(Severity.WATCH, Problem::severity)
        .returns(720.0, Problem::figure);
    assertThat(judge(1, 50, soon))
        .as("it lasts")
        .extracting(Problem::kind, Problem::severity)
        .containsExactly(tuple(AlertKind.DISK, Severity.BAD));
    assertThat(judge(1, 50, full(Duration.ofDays(20)))).isEmpty();
  }

  @Test
  void aForecastThatIsBadStaysSoWhileOthersBeginToWrite() {
    judge(30, 50, full(Duration.ofHours(3)));
    for (int second = 0; second < 60; second++) {
      assertThat(
              judge(
                  1,
                  50,
                  second % 2 == 0 ? withBegun(Duration.ofHours(3)) : full(Duration.ofHours(3))))
          .as("second %d", second)
          .extracting(Problem::kind, Problem::severity)
          .containsExactly(tuple(AlertKind.DISK, Severity.BAD));
    }
  }

  @Test
  void aBadLevelIsNotReplacedByAWarningThatOthersBeginToWrite() {
    judge(30, 91, full(Duration.ofDays(20)));
    assertThat(judge(10, 91, withBegun(Duration.ofDays(20))))
        .extracting(Problem::kind, Problem::severity)
        .containsExactly(tuple(AlertKind.SPACE, Severity.BAD));
    assertThat(judge(10, 85, withBegun(Duration.ofDays(20))))
        .as("a level that is a warning itself")
        .extracting(Problem::kind, Problem::severity)
        .containsExactly(tuple(AlertKind.DISK, Severity.WATCH));
  }

  /** Such as temporary files. */
  @Test
  void whatOthersBeganToWriteLeavesNoTraceWhenTheyStop() {
    judge(30, 50, full(Duration.ofHours(9)));
    judge(6, 50, withBegun(Duration.ofHours(9)));
    assertThat(judge(1, 50, full(Duration.ofHours(9))))
        .extracting(Problem::kind, Problem::severity)
        .containsExactly(tuple(AlertKind.DISK, Severity.WATCH));
    judge(30, 50, full(Duration.ofDays(20)));
    judge(6, 50, withBegun(Duration.ofHours(52)));
    assertThat(judge(1, 50, full(Duration.ofHours(52)))).isEmpty();
  }

  private static Figure<Runway> withBegun(Duration in) {
    Until begun = new Until.In(Duration.ofMinutes(12));
    return full(in).map(it -> new Runway(it.middle(), it.low(), begun));
  }
}
