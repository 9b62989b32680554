/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.Runway;
import io.forebay.report.Host;
import io.forebay.report.ServiceReport;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The figures of the page as metrics, from the latest snapshot; see {@code docs/metrics.md}.
 * Unknown is NaN, "never" is infinite.
 */
final class WatchMetrics implements MeterBinder {

  private static final String SECONDS = "seconds";

  private final Watcher watcher;
  private final @Nullable Host host;
  private final JobWatch jobs;
  private final InstantSource clock;

  WatchMetrics(Watcher watcher, @Nullable Host host, JobWatch jobs, InstantSource clock) {
    this.watcher = watcher;
    this.host = host;
    this.jobs = jobs;
    this.clock = clock;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    watcher.watches().forEach(it -> service(registry, it.name()));
    Gauges gauges = new Gauges(registry, Tags.empty());
    gauges.add("age.seconds", SECONDS, this::age);
    Host shared = host;
    if (shared != null) {
      shared.volume().ifPresent(it -> volume(registry, shared, it.name()));
    }
    jobs(registry, jobs);
  }

  private void service(MeterRegistry registry, String name) {
    Gauges gauges = new Gauges(registry, Tags.of("service", name));
    gauges.add("limit.seconds", SECONDS, of(name, it -> Lag.seconds(it.limit())));
    gauges.add("late.seconds", SECONDS, of(name, it -> late(it.lag())));
    gauges.add("loss.share", null, of(name, it -> Figure.number(it.lossShare())));
    gauges.add("busy.share", null, of(name, it -> Figure.number(it.busy())));
    gauges.add("database.rate", null, of(name, it -> Figure.number(it.can())));
    gauges.add("burst.share", null, of(name, it -> burst(it.burstShare())));
  }

  private DoubleSupplier of(String service, ToDoubleFunction<ServiceReport> figure) {
    return () ->
        watcher
            .service(service)
            .map(Snapshot.Service::report)
            .map(figure::applyAsDouble)
            .orElse(Double.NaN);
  }

  /** NaN for a paused service: the alert of kind paused watches it. */
  private static double late(Lag lag) {
    return lag.state() == Lag.State.PAUSED ? Double.NaN : Until.seconds(lag.late());
  }

  private static double burst(Figure<Double> share) {
    double known = Figure.number(share);
    return known == Double.MAX_VALUE ? Double.POSITIVE_INFINITY : known;
  }

  private static void volume(MeterRegistry registry, Host host, String name) {
    Supplier<Host.VolumeView> view = () -> host.volume().orElseThrow();
    Gauges gauges = new Gauges(registry, Tags.of("volume", name));
    gauges.add(
        "disk.used.bytes",
        "bytes",
        () -> Figure.number(view.get().volume().map(Volume::usedBytes)));
    gauges.add(
        "disk.stop.bytes",
        "bytes",
        () -> Figure.number(view.get().volume().map(Volume::stopBytes)));
    gauges.add(
        "runway.seconds", SECONDS, () -> Until.seconds(view.get().runway().map(Runway::middle)));
    gauges.add(
        "runway.low.seconds",
        SECONDS,
        () -> Until.seconds(view.get().runway().map(Runway::forAlerts)));
  }

  private double age() {
    return watcher.watches().stream()
        .flatMap(it -> it.past().at().stream())
        .max(Instant::compareTo)
        .map(it -> Math.max(0, Lag.seconds(Duration.between(it, clock.instant()))))
        .orElse(Double.NaN);
  }

  /** The alerts of jobs. The label is not {@code job}, which Prometheus itself sets. */
  static void jobs(MeterRegistry registry, JobWatch watch) {
    MultiGauge failed = MultiGauge.builder("forebay.job.failed").register(registry);
    watch.afterEach(() ->
        failed.register(
            watch.jobs().stream()
                .map(it -> MultiGauge.Row.of(Tags.of("job.name", it), watch.hasFailed(it) ? 1 : 0))
                .toList(),
            true));
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
