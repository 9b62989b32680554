/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.verdict.Host;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.Runway;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The figures of the page as metrics, as of the latest sample; see {@code docs/metrics.md}. Unknown
 * is NaN, "never" is infinite.
 */
final class WatchMetrics implements MeterBinder {

  private static final String SECONDS = "seconds";

  private final Watcher watcher;
  private final @Nullable Host host;
  private final InstantSource clock;

  WatchMetrics(Watcher watcher, @Nullable Host host, InstantSource clock) {
    this.watcher = watcher;
    this.host = host;
    this.clock = clock;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    watcher.watches().forEach(it -> service(registry, it));
    gauge(registry, "age.seconds", SECONDS, Tags.empty(), this::age);
    Host shared = host;
    if (shared != null) {
      gauge(registry, "dirty.share", null, Tags.empty(), () -> share(shared.memory().share()));
      for (int i = 0; i < shared.volumes().size(); i++) {
        volume(registry, shared, i);
      }
    }
  }

  private void service(MeterRegistry registry, ServiceWatch watch) {
    Tags tags = Tags.of("service", watch.name());
    gauge(registry, "limit.seconds", SECONDS, tags, () -> seconds(watch.limit()));
    gauge(
        registry,
        "late.seconds",
        SECONDS,
        tags,
        () -> until(watch.past().lag(watch.limit()).late()));
    gauge(registry, "loss.share", null, tags, () -> share(watch.lossShare()));
    gauge(registry, "busy.share", null, tags, () -> share(watch.past().busy()));
    gauge(
        registry,
        "database.rate",
        null,
        tags,
        () -> share(watch.past().databaseRate().perSecond()));
    gauge(registry, "burst.share", null, tags, () -> burst(watch));
  }

  /** The share of a usual burst; NaN while there was no burst to compare with. */
  private double burst(ServiceWatch watch) {
    return watcher
        .service(watch.name())
        .map(it -> it.burst().onTime())
        .filter(_ -> watch.past().typicalBurst() instanceof Figure.Measured<Duration>)
        .map(onTime ->
            until(onTime)
                / watch.past().typicalBurst().known().map(WatchMetrics::seconds).orElse(0.0))
        .orElse(Double.NaN);
  }

  private static void volume(MeterRegistry registry, Host host, int index) {
    Supplier<Host.VolumeView> view = () -> host.volumes().get(index);
    Tags tags = Tags.of("volume", view.get().name());
    gauge(
        registry,
        "disk.used.bytes",
        "bytes",
        tags,
        () -> bytes(view.get().volume().map(Volume::usedBytes)));
    gauge(
        registry,
        "disk.stop.bytes",
        "bytes",
        tags,
        () -> bytes(view.get().volume().map(Volume::stopBytes)));
    gauge(
        registry,
        "runway.seconds",
        SECONDS,
        tags,
        () -> until(view.get().runway().map(Runway::middle)));
    gauge(
        registry,
        "runway.low.seconds",
        SECONDS,
        tags,
        () -> until(view.get().runway().map(Runway::low)));
  }

  private double age() {
    Optional<Instant> latest =
        watcher.watches().stream().flatMap(it -> it.past().at().stream()).max(Instant::compareTo);
    return latest
        .map(it -> Math.max(0, seconds(Duration.between(it, clock.instant()))))
        .orElse(Double.NaN);
  }

  private static double share(Figure<Double> figure) {
    return figure.known().orElse(Double.NaN);
  }

  private static double bytes(Figure<Long> figure) {
    return figure.known().map(Long::doubleValue).orElse(Double.NaN);
  }

  private static double until(Figure<Until> figure) {
    return figure
        .known()
        .map(it -> it.left().map(WatchMetrics::seconds).orElse(Double.POSITIVE_INFINITY))
        .orElse(Double.NaN);
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }

  private static void gauge(
      MeterRegistry registry,
      String name,
      @Nullable String unit,
      Tags tags,
      Supplier<Number> value) {
    Gauge.builder("forebay.watch." + name, value)
        .strongReference(true)
        .baseUnit(unit)
        .tags(tags)
        .register(registry);
  }
}
