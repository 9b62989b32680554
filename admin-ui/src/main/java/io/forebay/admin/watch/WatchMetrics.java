/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.admin.watch;

import io.forebay.admin.verdict.Host;
import io.forebay.capacity.Figure;
import io.forebay.capacity.Lag;
import io.forebay.capacity.ServiceHistory;
import io.forebay.capacity.Until;
import io.forebay.capacity.Volume;
import io.forebay.capacity.disk.Runway;
import io.forebay.capacity.statement.StatementShares;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
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
    MultiGauge statements = MultiGauge.builder("forebay.statement.share").register(registry);
    watcher.everyTenSeconds(() -> statements.register(statements(), true));
    Gauges gauges = new Gauges(registry, Tags.empty());
    gauges.add("age.seconds", SECONDS, this::age);
    Host shared = host;
    if (shared != null) {
      gauges.add("dirty.share", null, () -> number(shared.memory().share()));
      shared.volume().ifPresent(it -> volume(registry, shared, it.name()));
    }
  }

  private List<MultiGauge.Row<?>> statements() {
    List<MultiGauge.Row<?>> rows = new ArrayList<>();
    for (ServiceWatch watch : watcher.watches()) {
      for (StatementShares.Share share : watch.slowest().shares()) {
        String statement = Objects.requireNonNullElse(share.statement(), "");
        Tags tags =
            Tags.of(
                "service",
                watch.name(),
                "part",
                share.part().name().toLowerCase(Locale.ROOT),
                "statement",
                statement);
        rows.add(MultiGauge.Row.of(tags, share.share()));
      }
    }
    return rows;
  }

  private void service(MeterRegistry registry, ServiceWatch watch) {
    Gauges gauges = new Gauges(registry, Tags.of("service", watch.name()));
    ServiceHistory past = watch.past();
    gauges.add("limit.seconds", SECONDS, () -> seconds(watch.limit()));
    gauges.add("late.seconds", SECONDS, () -> late(watch.lag()));
    gauges.add("loss.share", null, () -> number(watch.lossShare()));
    gauges.add("busy.share", null, () -> number(past.busy()));
    gauges.add("database.rate", null, () -> number(past.databaseRate().perSecond()));
    gauges.add("burst.share", null, () -> burst(watch));
  }

  /** NaN for a paused service: the alert of kind paused watches it. */
  private static double late(Lag lag) {
    return lag.state() == Lag.State.PAUSED ? Double.NaN : until(lag.late());
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

  private static void volume(MeterRegistry registry, Host host, String name) {
    Supplier<Host.VolumeView> view = () -> host.volume().orElseThrow();
    Gauges gauges = new Gauges(registry, Tags.of("volume", name));
    gauges.add(
        "disk.used.bytes", "bytes", () -> number(view.get().volume().map(Volume::usedBytes)));
    gauges.add(
        "disk.stop.bytes", "bytes", () -> number(view.get().volume().map(Volume::stopBytes)));
    gauges.add("runway.seconds", SECONDS, () -> until(view.get().runway().map(Runway::middle)));
    gauges.add("runway.low.seconds", SECONDS, () -> until(view.get().runway().map(Runway::low)));
  }

  private double age() {
    Optional<Instant> latest =
        watcher.watches().stream().flatMap(it -> it.past().at().stream()).max(Instant::compareTo);
    return latest
        .map(it -> Math.max(0, seconds(Duration.between(it, clock.instant()))))
        .orElse(Double.NaN);
  }

  private static double number(Figure<? extends Number> figure) {
    return figure.known().map(Number::doubleValue).orElse(Double.NaN);
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

  /** Gauges with the same tags. */
  private record Gauges(MeterRegistry registry, Tags tags) {

    void add(String name, @Nullable String unit, Supplier<Number> value) {
      Gauge.builder("forebay.watch." + name, value)
          .strongReference(true)
          .baseUnit(unit)
          .tags(tags)
          .register(registry);
    }
  }
}
