/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.admin.verdict.AlertKind;
import io.forebay.admin.verdict.Problem;
import io.forebay.admin.verdict.Verdict;
import io.forebay.capacity.BurstHeadroom;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.disk.Runway;
import io.forebay.queue.QueueRefused;
import io.forebay.queue.QueueStats;
import io.forebay.report.Host;
import io.forebay.report.ServiceReport;
import io.forebay.report.ServiceReports;
import io.forebay.service.ServiceState.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The verdict, and the order of its problems and services. */
class VerdictTest extends SimulatedOrders {

  @Test
  void nothingIsOpenWhileAllKeepUp() {
    Snapshot snapshot = services.run(120);
    assertThat(snapshot.verdict().severity()).isEqualTo(Severity.FINE);
    assertThat(snapshot.verdict().problems()).isEmpty();
    assertThat(snapshot.recordedSince()).isEqualTo(SimulatedServices.START.plusSeconds(1));
  }

  @Test
  void aServiceWhoseDiskIsFullAcceptsNothingOfABurst() {
    services.run(120);
    orders.outRefusal = new QueueStats.Refusal(QueueRefused.Reason.DISK, Double.NaN, services.now);
    Snapshot.Burst burst = orders(services.run(1)).burst();
    assertThat(burst.accepts()).isEqualTo(Figure.measured(new Until.Passed()));
    assertThat(burst.onTime()).isInstanceOf(Figure.Unknown.class);
  }

  @Test
  void aStateIsShownSinceItBeganAndABreakDoesNotMoveThat() {
    assertThat(orders(services.run(60)).since()).isEqualTo(SimulatedServices.START);
    orders.accepts = 2000;
    orders.performs = 1650;
    Snapshot snapshot = services.run(1);
    while (!state(snapshot).equals("growing")) {
      snapshot = services.run(1);
    }
    Instant began = services.now;
    assertThat(Duration.between(SimulatedServices.START, began))
        .as("at 5 s behind, a twentieth of the limit or less")
        .isBetween(Duration.ofSeconds(61), Duration.ofSeconds(95));
    assertThat(orders(services.run(300)).since()).isEqualTo(began);
    orders.performs = 2400;
    assertThat(state(services.run(6))).isEqualTo("draining");
    orders.performs = 1650;
    snapshot = services.run(12);
    assertThat(state(snapshot)).isEqualTo("growing");
    assertThat(orders(snapshot).since()).isEqualTo(began);
    orders.phase = Phase.PAUSED;
    orders.since = services.now;
    assertThat(orders(services.run(20)).since()).isEqualTo(orders.since);
    orders.phase = Phase.RUNNING;
    orders.since = services.now;
    assertThat(orders(services.run(5)).since()).isEqualTo(orders.since);
  }

  @Test
  void servicesThatNeedAnOperatorComeFirst() {
    orders.accepts = 2000;
    orders.performs = 1650;
    services.run(1500);
    services.all.get(0).phase = Phase.WAITING;
    services.all.get(1).phase = Phase.FAILED;
    Snapshot snapshot = services.run(1);
    assertThat(snapshot.verdict().problems())
        .extracting(Problem::kind)
        .containsExactly(AlertKind.FAILED, AlertKind.WAITING, AlertKind.LATE);
    assertThat(snapshot.services().getFirst().report().state())
        .isEqualTo(ServiceReport.State.FAILED);
    assertThat(snapshot.services().getFirst().report().reason()).isEmpty();
  }

  @Test
  void theWorstServiceIsFirstThenByName() {
    assertThat(names(services.run(1))).containsExactly("ledger", "mail", "orders-post");
    orders.accepts = 2000;
    orders.performs = 1650;
    services.run(1440);
    services.all.get(1).accepts = 0;
    services.all.get(1).phase = Phase.WAITING;
    Snapshot snapshot = services.run(1);
    assertThat(snapshot.services())
        .extracting(Snapshot.Service::severity)
        .containsExactly(Severity.BAD, Severity.WATCH, Severity.FINE);
    assertThat(names(snapshot))
        .as("orders-post will be late, but mail is worse although nothing waits there")
        .containsExactly("mail", "orders-post", "ledger");
  }

  private static List<String> names(Snapshot snapshot) {
    return snapshot.services().stream().map(it -> it.report().name()).toList();
  }

  @Test
  void alertsThatAreEquallyUrgentDoNotChangePlaces() {
    SimulatedServices.Simulated mail = services.all.get(1);
    List.of(mail, orders).forEach(it -> it.accepts = 2000);
    Set<List<String>> orders = new HashSet<>();
    for (int seconds = 0; seconds < 1440; seconds += 20) {
      boolean even = seconds / 20 % 2 == 0;
      mail.performs = even ? 1645 : 1655;
      this.orders.performs = even ? 1655 : 1645;
      Verdict verdict = services.run(20).verdict();
      if (seconds > 1300) {
        orders.add(verdict.problems().stream().map(Problem::service).toList());
      }
    }
    assertThat(orders).singleElement();
  }

  /** A forecast of a minute ago would claim time that is not left. */
  @Test
  void theTimeUntilABurstFillsTheDiskFollowsTheForecastOfTheDisk() {
    services.run(120);
    Filling disk = new Filling();
    ServiceReports reports = new ServiceReports(services.services, services.watches, disk, null);
    for (int left : new int[] {55, 6, 0, 7_200}) {
      disk.left = Until.ofSeconds(left, "");
      reports.make(services.now);
      assertThat(reports.latest())
          .as("%d s", left)
          .allSatisfy(it ->
              assertThat(it.burst().then(BurstHeadroom::full))
                  .isEqualTo(Figure.measured(disk.left)));
    }
  }

  /** Right after a start, a figure past its limit counts as past it for a while. */
  @Test
  void problemsAtTheStartAreReportedAtOnce() {
    orders.accepts = 2000;
    orders.performs = 0;
    services.sample(600);
    assertThat(services.run(1).verdict().problems().getFirst())
        .satisfies(it -> {
          assertThat(it.kind()).isEqualTo(AlertKind.BEHIND);
          assertThat(it.severity()).isEqualTo(Severity.BAD);
        });
  }

  /** A disk that is full after this time, at any rate. */
  private static final class Filling implements Host {

    private Until left = new Until.Passed();

    @Override
    public Optional<VolumeView> volume() {
      return Optional.empty();
    }

    @Override
    public Figure<Runway> runway() {
      return Figure.measured(new Runway(left, left, null));
    }

    @Override
    public Figure<Until> fullWith(double extraBytesPerSecond) {
      return Figure.measured(left);
    }
  }
}
