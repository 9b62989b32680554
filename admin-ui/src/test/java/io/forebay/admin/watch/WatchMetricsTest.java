/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.Runway;
import io.forebay.report.Host;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class WatchMetricsTest {

  private static final Until NEVER = new Until.Never("not within 3 h");

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  private double gauge(String name, Runway runway) {
    Host host = mock();
    Host.VolumeView volume =
        new Host.VolumeView(
            "/data",
            Figure.measured(new Volume(1_000, 500, 100)),
            Figure.measured(runway),
            Optional.empty(),
            Optional.empty(),
            Figure.unknown("nothing was written"));
    when(host.volume()).thenReturn(Optional.of(volume));
    registry.clear();
    new WatchMetrics(host, new JobWatch(null, () -> Instant.EPOCH)).bindTo(registry);
    return registry.get("forebay.watch." + name).gauge().value();
  }

  @Test
  void theRunwayIsTheOneThatThePageShows() {
    Until soon = new Until.In(Duration.ofMinutes(12));
    assertThat(gauge("runway.seconds", new Runway(NEVER, NEVER, soon))).isEqualTo(720);
    assertThat(gauge("runway.seconds", new Runway(soon, NEVER, null))).isEqualTo(720);
    assertThat(gauge("runway.seconds", new Runway(NEVER, NEVER, null))).isInfinite();
  }

  /** What others write for some seconds wakes nobody. */
  @Test
  void alertsUseTheForecastThatLasts() {
    Until soon = new Until.In(Duration.ofMinutes(12));
    assertThat(gauge("runway.low.seconds", new Runway(NEVER, NEVER, soon))).isInfinite();
  }
}
