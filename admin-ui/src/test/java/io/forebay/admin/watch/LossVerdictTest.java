/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.forebay.admin.verdict.Alert.Severity;
import io.forebay.admin.verdict.AlertKind;
import io.forebay.admin.verdict.Figures;
import io.forebay.admin.verdict.Problem;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Alerts of messages that retention deletes before they are performed. */
class LossVerdictTest extends SimulatedOrders {

  @Test
  void warnsBeforeRetentionByTimeDeletesWaitingMessages() {
    orders.kept = Duration.ofMinutes(20);
    orders.accepts = 2000;
    orders.performs = 1000;
    services.run(900);
    assertThat(services.run(60).verdict().problems()).noneMatch(it -> it.kind() == AlertKind.LOSS);
    Snapshot watched = services.run(360);
    assertThat(watched.verdict().problems())
        .filteredOn(it -> it.kind() == AlertKind.LOSS)
        .singleElement()
        .satisfies(it -> {
          assertThat(it.severity()).isEqualTo(Severity.WATCH);
          assertThat(Until.seconds(figures(it, Figures.Loss.class).loss())).isBetween(540.0, 600.0);
        });
    orders.performs = 0;
    assertThat(services.run(420).verdict().problems())
        .filteredOn(it -> it.kind() == AlertKind.LOSS)
        .extracting(Problem::severity)
        .containsExactly(Severity.BAD);
  }

  @Test
  void timeOfDeletionIsUnknownUntilTheBrokersReportRetention() {
    assertThat(loss()).isEqualTo(Figure.unknown("messages are kept until performed"));
    orders.connected = false;
    assertThat(loss())
        .isEqualTo(Figure.unknown("the brokers have not reported the retention time yet"));
  }

  private Figure<Until> loss() {
    return services.run(2).services().stream()
        .map(Snapshot.Service::report)
        .filter(it -> it.name().equals(orders.name()))
        .findFirst()
        .orElseThrow()
        .loss();
  }
}
