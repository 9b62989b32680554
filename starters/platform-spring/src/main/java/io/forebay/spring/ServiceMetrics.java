/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.operations.LookAt;
import io.forebay.operations.PartitionView;
import io.forebay.operations.ServiceOperations;
import io.forebay.operations.Services;
import io.forebay.queue.QueueStats;
import io.forebay.service.Latency;
import io.forebay.service.ServiceState;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of all services; see {@code docs/metrics.md}. All metrics of a service come from one
 * view, refreshed at most once a second.
 */
final class ServiceMetrics implements MeterBinder {

  private static final double[] PERCENTILES = {50, 99, 99.9, 100};

  private final Services services;

  ServiceMetrics(Services services) {
    this.services = services;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    for (ServiceOperations service : services.all()) {
      bind(registry, new LookAt(service, services.latencies(service.name())));
    }
  }

  private static void bind(MeterRegistry registry, LookAt service) {
    Tags tags = Tags.of("service", service.name());
    for (ServiceState.Phase phase : ServiceState.Phase.values()) {
      gauge(
          registry,
          "state",
          null,
          tags.and("state", phase.name().toLowerCase(Locale.ROOT)),
          service,
          it -> it.view().state().phase() == phase ? 1 : 0);
    }
    gauge(registry, "accepting", null, tags, service, it -> it.view().accepts() ? 1 : 0);
    gauge(registry, "behind.seconds", "seconds", tags, service, ServiceMetrics::behindSeconds);
    gauge(registry, "stalled.seconds", "seconds", tags, service, ServiceMetrics::stalledSeconds);
    gauge(registry, "unreceived", "messages", tags, service, it -> figure(it.unreceived()));
    gauge(registry, "loss.seconds", "seconds", tags, service, LookAt::lossSeconds);
    counter(registry, "accepted", tags, service, LookAt::accepted);
    counter(registry, "performed", tags, service, it -> it.view().counts().performed());
    counter(registry, "failed", tags, service, it -> it.view().counts().failed());
    counter(registry, "dead.letters", tags, service, it -> it.view().counts().deadLetters());
    counter(registry, "declined", tags, service, it -> it.view().counts().declined());
    counter(registry, "skipped", tags, service, LookAt::skipped);
    counter(registry, "refused", tags, service, it -> it.view().counts().refused());
    bindLatency(registry, tags, service);
    for (PartitionView partition : service.view().partitions()) {
      bind(registry, tags, service, partition.partition());
    }
  }

  private static void bind(MeterRegistry registry, Tags service, LookAt it, int partition) {
    Tags tags = service.and("partition", Integer.toString(partition));
    gauge(
        registry,
        "behind.messages",
        "messages",
        tags,
        it,
        look -> figure(look.view().partitions().get(partition).behind()));
    gauge(
        registry,
        "queue.bytes",
        "bytes",
        tags.and("queue", "in"),
        it,
        look -> bytes(look.view().partitions().get(partition).in()));
    gauge(
        registry,
        "queue.bytes",
        "bytes",
        tags.and("queue", "out"),
        it,
        look -> bytes(look.view().partitions().get(partition).out()));
  }

  private static void bindLatency(MeterRegistry registry, Tags service, LookAt it) {
    for (double percentile : PERCENTILES) {
      Tags tags = service.and("percentile", Double.toString(percentile));
      latency(registry, tags.and("station", "read"), it, percentile, Latency.Snapshot::read);
      latency(
          registry,
          tags.and("station", "performing"),
          it,
          percentile,
          Latency.Snapshot::performing);
      latency(
          registry, tags.and("station", "performed"), it, percentile, Latency.Snapshot::performed);
      latency(
          registry, tags.and("station", "answered"), it, percentile, Latency.Snapshot::answered);
    }
  }

  private static void latency(
      MeterRegistry registry,
      Tags tags,
      LookAt service,
      double percentile,
      Function<Latency.Snapshot, Histogram> station) {
    gauge(
        registry,
        "latency",
        "seconds",
        tags,
        service,
        it -> {
          Histogram histogram = station.apply(it.latency());
          return histogram.getTotalCount() == 0
              ? Double.NaN
              : histogram.getValueAtPercentile(percentile) / 1e9;
        });
  }

  private static double behindSeconds(LookAt service) {
    Instant oldest = service.view().oldest();
    if (oldest != null) {
      return Math.max(0, Duration.between(oldest, Instant.now()).toMillis() / 1e3);
    }
    OptionalLong behind = service.view().behind();
    return behind.isPresent() && behind.getAsLong() == 0 ? 0 : Double.NaN;
  }

  private static double stalledSeconds(LookAt service) {
    return service
        .view()
        .stall()
        .map(it -> Math.max(0, Duration.between(it.since(), Instant.now()).toMillis() / 1e3))
        .orElse(0.0);
  }

  private static double bytes(QueueStats stats) {
    return figure(stats.bytes());
  }

  private static double figure(OptionalLong figure) {
    return figure.isPresent() ? figure.getAsLong() : Double.NaN;
  }

  private static void gauge(
      MeterRegistry registry,
      String name,
      @Nullable String unit,
      Tags tags,
      LookAt service,
      ToDoubleFunction<LookAt> value) {
    Gauge.builder("forebay.service." + name, service, value)
        .strongReference(true)
        .baseUnit(unit)
        .tags(tags)
        .register(registry);
  }

  private static void counter(
      MeterRegistry registry,
      String name,
      Tags tags,
      LookAt service,
      ToDoubleFunction<LookAt> value) {
    FunctionCounter.builder("forebay.service." + name, service, value)
        .baseUnit("messages")
        .tags(tags)
        .register(registry);
  }
}
