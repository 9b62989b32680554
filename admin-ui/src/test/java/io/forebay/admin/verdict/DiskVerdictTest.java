/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.capacity.Alert.Severity;
import io.forebay.capacity.Figure;
import io.forebay.capacity.ServiceHistory;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.FileRetention;
import io.forebay.capacity.disk.Runway;
import io.forebay.capacity.series.RingLengths;
import io.forebay.capacity.statement.StatementShares;
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
    ServiceHistory past = new ServiceHistory(RingLengths.DEFAULT);
    return new ServiceReport(
        view,
        Optional.empty(),
        Duration.ofMinutes(5),
        past.lag(Duration.ofMinutes(5)),
        past.accepted(),
        past.performed(),
        Figure.unknown(NONE),
        null,
        null,
        past.busy(),
        past.busyNow(),
        Figure.unknown(NONE),
        Figure.unknown(NONE),
        Figure.unknown(NONE),
        Figure.unknown(NONE),
        null,
        new RecentFailures(NO_COUNTS, NO_COUNTS, NO_COUNTS, null, null, null),
        new StatementShares.Slowest(Duration.ZERO, List.of()),
        new Until.Never(NONE),
        Figure.unknown(NONE),
        Figure.unknown(NONE));
  }

  private static Figure<Runway> full(Duration in) {
    Until middle = new Until.In(in);
    Until low = new Until.In(in.dividedBy(2));
    return Figure.estimated(new Runway(middle, low, middle), "rough");
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
                  "/data: 19 % of what may be used is free (18 GiB). 97 % of its growth is not from queues: find what else writes there (a log, a database, another program), and stop it. The next file (244 MiB) is deleted in 42 m.");
        });
    assertThat(Verdict.of(List.of(), judge(1, 81, UNKNOWN), List.of()).text())
        .as("does not repeat the first line")
        .isEqualTo("Watch disk /data.");
    List<Problem> bad = judge(30, 91, UNKNOWN);
    assertThat(bad).extracting(Problem::severity).containsExactly(Severity.BAD);
    assertThat(Verdict.of(List.of(), bad, List.of()).text())
        .isEqualTo("Attention needed: disk /data.");
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
                  "/data will be full in about 4 m (2 m at the earliest); then callers are refused. 97 % of its")
              .as("the next file is deleted too late")
              .doesNotContain("next file");
        });
    assertThat(judge(1, 91, full(Duration.ofHours(1))).getFirst().text())
        .endsWith(" The next file (244 MiB) is deleted in 42 m.");
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
          assertThat(it.text()).startsWith("/data will be full in about 14 s (7 s at the earliest");
        });
    assertThat(judge(4, 50, calm)).as("after the burst").isEmpty();
  }

  @Test
  void fullIsSaidAtOnceAndNoLongerWithinThreeSecondsAfterRoomWasMade() {
    judge(30, 50, UNKNOWN);
    assertThat(judge(1, 100, full(Duration.ofSeconds(1))))
        .first()
        .satisfies(it -> {
          assertThat(it.kind()).isEqualTo(AlertKind.DISK);
          assertThat(it.text())
              .startsWith(
                  "/data is full: messages are refused until space is freed; callers can repeat them. What was accepted is kept. 97 % of its growth is not from queues: find what else writes there (a log, a database, another program), and stop it. 9.3 GiB are left as reserve; at least 954 MiB must be freed.");
        });
    assertThat(judge(60, 100, full(Duration.ofSeconds(1)))).hasSize(1);
    assertThat(judge.recovered()).isEmpty();
    Until passed = new Until.Passed();
    Figure<Runway> old = Figure.measured(new Runway(passed, passed, passed));
    assertThat(judge(1, 20, old)).as("with the forecast from before").isEmpty();
    assertThat(judge(3, 20, UNKNOWN)).isEmpty();
    assertThat(judge.recovered())
        .containsExactly(
            "/data has room again: it was full for 1 m 1 s, until 3 s ago, and no message was refused; nothing accepted was lost.");
    judge(294, 20, UNKNOWN);
    assertThat(judge.recovered()).hasSize(1);
    judge(5, 20, UNKNOWN);
    assertThat(judge.recovered()).isEmpty();
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
  void aNextFileThatDoesNotFreeEnoughIsSaid() {
    judge(30, 50, UNKNOWN);
    assertThat(judge(1, 100, UNKNOWN))
        .first()
        .satisfies(it ->
            assertThat(it.text())
                .endsWith(
                    " The next file (244 MiB) is deleted in 42 m; the files that are due do not free enough."));
    FileRetention.Next enough = new FileRetention.Next(new Until.In(Duration.ofHours(3)), GB);
    Host host = new Disk(Optional.of(view("/data", 100, UNKNOWN, enough)));
    assertThat(judge(1, List.of(), host))
        .first()
        .satisfies(it ->
            assertThat(it.text())
                .endsWith(
                    " The next file (244 MiB) is deleted in 42 m; enough files (954 MiB) are deleted in 3 h."));
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
            assertThat(it.text())
                .startsWith(
                    "/data is full: orders refuses messages (1,234 so far) until space is freed; callers can repeat them."));
    judge(1, List.of(service("orders", null, 1241)), host);
    assertThat(judge.recovered())
        .containsExactly(
            "/data has room again: it was full for 10 s, until just now, and 1,234 messages were refused; nothing accepted was lost.");
  }

  @Test
  void aDiskWithoutAByteHasNoReserve() {
    assertThat(judge(1, 110, full(Duration.ofSeconds(1))).getFirst().text())
        .contains(" Nothing is left; at least ");
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
          assertThat(it.text())
              .startsWith(
                  "/data is full: 2 services refuse messages until space is freed; callers can repeat them.");
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
          assertThat(it.text()).isEqualTo("orders refuses messages: its disk is full.");
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

    @Override
    public Figure<Double> growthShare(String service) {
      return Figure.unknown(NONE);
    }
  }
}
