/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.capacity.Figure;
import io.forebay.capacity.ServiceHistory;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.FileRetention;
import io.forebay.capacity.disk.Runway;
import io.forebay.operations.PartitionView;
import io.forebay.operations.ServiceCounts;
import io.forebay.operations.ServiceView;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.report.Host;
import io.forebay.report.RecentFailures;
import io.forebay.report.ServiceReport;
import io.forebay.service.ServiceState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What is said while a disk fills, while it is full, and after room was made. */
class DiskVerdictTest {

  private static final ServiceCounts NO_COUNTS = new ServiceCounts(0, 0, 0, 0, 0);

  private static final long GB = 1_000_000_000;
  private static final String NONE = "not measured";
  private static final Figure<Runway> UNKNOWN = Figure.unknown("needs 15 minutes of history");

  private final Judge judge = new Judge();
  private Instant now = Instant.parse("2026-03-02T10:00:00Z");

  /** The problems after some seconds with a disk of 110 GB, of which 100 GB may be used. */
  private List<Problem> judge(int seconds, long usedGigabytes, Figure<Runway> runway) {
    return judge(seconds, List.of(), new Disk(Optional.of(view("/data", usedGigabytes, runway))));
  }

  private List<Problem> judge(int seconds, List<ServiceReport> services, Host host) {
    List<Problem> problems = List.of();
    for (int i = 0; i < seconds; i++) {
      now = now.plusSeconds(1);
      problems = judge.judge(now, services, host, List.of(), List.of());
    }
    return problems;
  }

  private static Host.VolumeView view(String name, long usedGigabytes, Figure<Runway> runway) {
    return view(name, usedGigabytes, runway, null);
  }

  private static Host.VolumeView view(
      String name, long usedGigabytes, Figure<Runway> runway, FileRetention.@Nullable Next enough) {
    return new Host.VolumeView(
        name,
        Figure.measured(new Volume(110 * GB, usedGigabytes * GB, 10 * GB)),
        runway,
        Optional.of(new FileRetention.Next(new Until.In(Duration.ofMinutes(42)), 256_000_000)),
        Optional.ofNullable(enough),
        Figure.measured(0.97));
  }

  /** A service whose queue refuses messages because its disk is full. */
  private ServiceReport refused(String name) {
    return service(name, new QueueStats.Refusal(QueueRefused.Reason.DISK, 1, now), 0);
  }

  private ServiceReport service(String name, QueueStats.@Nullable Refusal refusal, long refused) {
    QueueStats stats =
        new QueueStats(
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            Map.of(),
            refusal,
            null,
            null);
    ServiceView view =
        new ServiceView(
            name,
            new ServiceState(ServiceState.Phase.RUNNING, "", now, null),
            List.of(
                new PartitionView(
                    0,
                    null,
                    OptionalLong.empty(),
                    OptionalLong.empty(),
                    null,
                    null,
                    null,
                    stats,
                    stats)),
            new ServiceCounts(0, 0, 0, 0, refused));
    return ServiceReport.of(
        new ServiceReport.Input(
            view,
            Optional.empty(),
            Duration.ofMinutes(5),
            new ServiceHistory(),
            null,
            new RecentFailures(NO_COUNTS, NO_COUNTS, NO_COUNTS, null, null, null),
            _ -> Figure.unknown(NONE),
            Optional.empty(),
            Figure.unknown(NONE)));
  }

  private static Figures.Disk figures(Problem problem) {
    return (Figures.Disk) problem.figures();
  }

  private static Host.VolumeView view(Problem problem) {
    return figures(problem).view();
  }

  private static Figure<Runway> full(Duration in) {
    Until middle = new Until.In(in);
    Until low = new Until.In(in.dividedBy(2));
    return Figure.estimated(new Runway(middle, low, middle, null), "rough");
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

  private static Figure<Runway> withBegun(Duration in) {
    Until begun = new Until.In(Duration.ofMinutes(12));
    return full(in).map(it -> new Runway(it.middle(), it.low(), it.high(), begun));
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

  @Test
  void fullIsSaidAtOnceAndNoLongerWithinThreeSecondsAfterRoomWasMade() {
    judge(30, 50, UNKNOWN);
    assertThat(judge(1, 100, full(Duration.ofSeconds(1))))
        .first()
        .satisfies(it -> {
          assertThat(it.kind()).isEqualTo(AlertKind.DISK);
          assertThat(figures(it).full()).isEqualTo(new Figures.Full(List.of(), 0));
          assertThat(view(it).usedBytes()).isEqualTo(Figure.measured(100 * GB));
          assertThat(view(it).toFreeBytes().known().orElseThrow()).isGreaterThanOrEqualTo(GB);
        });
    assertThat(judge(60, 100, full(Duration.ofSeconds(1)))).hasSize(1);
    Until passed = new Until.Passed();
    Figure<Runway> old = Figure.measured(new Runway(passed, passed, passed, null));
    assertThat(judge(1, 20, old)).as("with the forecast from before").isEmpty();
    assertThat(judge(3, 20, UNKNOWN)).isEmpty();
  }

  /** The forecast becomes known only when there is enough history. */
  @Test
  void anAlertThatHasClosedDoesNotOpenAgainWithALaterForecast() {
    judge(30, 50, UNKNOWN);
    judge(20, 100, full(Duration.ofSeconds(1)));
    assertThat(judge(600, 20, UNKNOWN)).isEmpty();
    assertThat(judge(1, 20, full(Duration.ofDays(20)))).isEmpty();
  }

  @Test
  void aForecastOfDaysIsNoProblemAsSoonAsRoomWasMade() {
    judge(30, 50, full(Duration.ofDays(20)));
    assertThat(judge(20, 100, full(Duration.ofSeconds(1)))).hasSize(1);
    assertThat(judge(1, 20, full(Duration.ofDays(20)))).isEmpty();
  }

  @Test
  void theFilesWhoseDeletionIsEnoughAreNamed() {
    judge(30, 50, UNKNOWN);
    assertThat(judge(1, 100, UNKNOWN))
        .first()
        .satisfies(it -> assertThat(view(it).enough()).isEmpty());
    FileRetention.Next enough = new FileRetention.Next(new Until.In(Duration.ofHours(3)), GB);
    Host host = new Disk(Optional.of(view("/data", 100, UNKNOWN, enough)));
    assertThat(judge(1, List.of(), host))
        .first()
        .satisfies(it -> assertThat(view(it).enough()).contains(enough));
  }

  @Test
  void messagesThatWereRefusedWhileTheDiskWasFullAreCounted() {
    Host host = new Disk(Optional.of(view("/data", 50, UNKNOWN)));
    judge(1, List.of(service("orders", null, 7)), host);
    assertThat(
            judge(
                10,
                List.of(
                    service(
                        "orders", new QueueStats.Refusal(QueueRefused.Reason.DISK, 1, now), 1241)),
                host))
        .first()
        .satisfies(it ->
            assertThat(figures(it).full()).isEqualTo(new Figures.Full(List.of("orders"), 1234)));
  }

  @Test
  void aDiskWhoseServicesRefuseIsFullAlthoughAByteIsFree() {
    Host host = new Disk(Optional.of(view("/data", 99, UNKNOWN)));
    List<ServiceReport> services = List.of(refused("orders"), refused("mail"));
    List<Problem> problems = judge(30, services, host);
    Instant first = problems.getFirst().since();
    assertThat(problems)
        .singleElement()
        .satisfies(it -> {
          assertThat(it.volume()).isEqualTo("/data");
          assertThat(figures(it).full().refusing()).containsExactly("mail", "orders");
        });
    assertThat(judge(30, services, host).getFirst().since()).isEqualTo(first);
  }

  /** As with a backend whose disks are not watched. */
  @Test
  void aServiceWhoseDiskIsUnknownIsNamedItself() {
    assertThat(judge(61, List.of(refused("orders")), new Disk(Optional.empty())))
        .filteredOn(it -> it.kind() == AlertKind.REFUSING)
        .singleElement()
        .satisfies(it -> {
          assertThat(it.severity()).isEqualTo(Severity.BAD);
          assertThat(it.figures()).isEqualTo(new Figures.Refusing(QueueRefused.Reason.DISK));
        });
  }

  private record Disk(Optional<VolumeView> volume) implements Host {

    @Override
    public Figure<Runway> runway() {
      return Figure.unknown(NONE);
    }

    @Override
    public Figure<Until> fullWith(double extraBytesPerSecond) {
      return Figure.unknown(NONE);
    }
  }
}
