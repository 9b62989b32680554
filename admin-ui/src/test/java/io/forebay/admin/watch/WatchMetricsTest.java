/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.forebay.capacity.Figure;
import io.forebay.capacity.series.RingLengths;
import io.forebay.service.ServiceState.Phase;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WatchMetricsTest {

  private final SimulatedServices services = new SimulatedServices(RingLengths.DEFAULT, "orders");
  private final SimulatedServices.Simulated orders = services.all.getFirst();
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  @BeforeEach
  void bind() {
    JobWatch jobs = new JobWatch(null, () -> Instant.EPOCH);
    new WatchMetrics(services.watcher, null, jobs, () -> services.now).bindTo(registry);
  }

  private double value(String name) {
    return registry.get("forebay.watch." + name).gauge().value();
  }

  @Test
  void reportTheLatestSnapshot() {
    assertThat(value("age.seconds")).isNaN();
    assertThat(value("limit.seconds")).isNaN();
    orders.accepts = 900;
    services.run(90);
    services.now = services.now.plusSeconds(4);
    assertThat(value("age.seconds")).isEqualTo(4);
    assertThat(value("limit.seconds")).isEqualTo(300);
    assertThat(value("busy.share")).isCloseTo(0.9, within(0.001));
    assertThat(value("late.seconds")).isEqualTo(Double.POSITIVE_INFINITY);
    orders.phase = Phase.PAUSED;
    services.run(2);
    assertThat(value("late.seconds")).isNaN();
  }

  @Test
  void areUnknownWhileThePageSaysUnknown() {
    services.run(60);
    assertThat(value("busy.share")).isPositive();
    orders.performs = 0;
    orders.phase = Phase.WAITING;
    Snapshot away = services.run(2);
    assertThat(away.services().getFirst().report().busy()).isInstanceOf(Figure.Unknown.class);
    assertThat(value("busy.share")).isNaN();
    assertThat(value("database.rate")).isNaN();
  }
}
