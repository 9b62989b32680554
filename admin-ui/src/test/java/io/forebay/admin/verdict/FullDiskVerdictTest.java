/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.verdict;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.capacity.Figure;
import io.forebay.capacity.ServiceHistory;
import io.forebay.capacity.Until;
import io.forebay.capacity.disk.FileRetention;
import io.forebay.capacity.disk.Runway;
import io.forebay.operations.ServiceCounts;
import io.forebay.operations.ServiceView;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.report.Host;
import io.forebay.report.RecentFailures;
import io.forebay.report.ServiceReport;
import io.forebay.service.PartitionView;
import io.forebay.service.ServiceState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** What is said while a disk is full, and after room was made. */
class FullDiskVerdictTest extends JudgedDisk {

  private static final ServiceCounts NO_COUNTS = new ServiceCounts(0, 0, 0, 0, 0);

  @Test
  void fullIsSaidAtOnceAndNoLongerWithinThreeSecondsAfterRoomWasMade() {
    judge(30, 50, UNKNOWN);
    assertThat(judge(1, 100, full(Duration.ofSeconds(1))))
        .first()
        .satisfies(it -> {
          assertThat(it.kind()).isEqualTo(AlertKind.DISK);
          assertThat(figures(it).refusing()).isEmpty();
          assertThat(view(it).usedBytes()).isEqualTo(Figure.measured(100 * GB));
          assertThat(view(it).toFreeBytes().known().orElseThrow()).isGreaterThanOrEqualTo(GB);
        });
    assertThat(judge(60, 100, full(Duration.ofSeconds(1)))).hasSize(1);
    Until passed = new Until.Passed();
    Figure<Runway> old = Figure.measured(new Runway(passed, passed, null));
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
    Host host = new Disk(Optional.of(view(100, UNKNOWN, enough)));
    assertThat(judge(1, List.of(), host))
        .first()
        .satisfies(it -> assertThat(view(it).enough()).contains(enough));
  }

  @Test
  void aDiskWhoseServicesRefuseIsFullAlthoughAByteIsFree() {
    Host host = new Disk(Optional.of(view(99, UNKNOWN, null)));
    List<ServiceReport> services = List.of(refused("orders"), refused("mail"));
    List<Problem> problems = judge(30, services, host);
    Instant first = problems.getFirst().since();
    assertThat(problems)
        .singleElement()
        .satisfies(it -> {
          assertThat(it.volume()).isEqualTo("/data");
          assertThat(figures(it).refusing()).containsExactly("mail", "orders");
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

  /** A service whose queue refuses messages because its disk is full. */
  private ServiceReport refused(String name) {
    QueueStats stats =
        new QueueStats(
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            OptionalLong.empty(),
            Map.of(),
            new QueueStats.Refusal(QueueRefused.Reason.DISK, 1, now),
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
                    stats,
                    null)),
            new ServiceCounts(0, 0, 0, 0, 0),
            null);
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
}
