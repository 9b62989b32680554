/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.disk.Runway;
import io.forebay.report.Host;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The figures of what services share, and of jobs, as metrics; see {@code docs/admin.md}. Unknown
 * is NaN, "never" is infinite.
 */
final class WatchMetrics implements MeterBinder {

  private static final String SECONDS = "seconds";

  private final @Nullable Host host;
  private final JobWatch jobs;

  WatchMetrics(@Nullable Host host, JobWatch jobs) {
    this.host = host;
    this.jobs = jobs;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    Host shared = host;
    if (shared != null) {
      shared.volume().ifPresent(it -> volume(registry, shared, it.volume()));
    }
    jobs(registry, jobs);
  }

  private static void volume(MeterRegistry registry, Host host, String name) {
    Supplier<Host.VolumeView> view = () -> host.volume().orElseThrow();
    Gauges gauges = new Gauges(registry, Tags.of("volume", name));
    gauges.add("disk.used.bytes", "bytes", () -> Figure.number(view.get().usedBytes()));
    gauges.add("disk.stop.bytes", "bytes", () -> Figure.number(view.get().stopBytes()));
    gauges.add(
        "runway.seconds", SECONDS, () -> Until.seconds(view.get().runway().map(Runway::likely)));
    gauges.add(
        "runway.low.seconds",
        SECONDS,
        () -> Until.seconds(view.get().runway().map(Runway::forAlerts)));
  }

  /** The alerts of jobs. The label is not {@code job}, which Prometheus itself sets. */
  static void jobs(MeterRegistry registry, JobWatch watch) {
    MultiGauge failed = MultiGauge.builder("forebay.job.failed").register(registry);
    watch.afterEach(() ->
        failed.register(
            watch.jobs().stream()
                .map(it ->
                    MultiGauge.Row.of(Tags.of("job.name", it), () -> watch.hasFailed(it) ? 1 : 0))
                .toList(),
            false)); // a scrape that sees a gauge replaced finds it twice and fails
  }

  /** Gauges with the same tags. */
  private record Gauges(MeterRegistry registry, Tags tags) {

    void add(String name, @Nullable String unit, DoubleSupplier value) {
      Gauge.builder("forebay.watch." + name, value::getAsDouble)
          .baseUnit(unit)
          .tags(tags)
          .register(registry);
    }
  }
}
