/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.chunk.Collector;
import io.forebay.chunk.FlushReason;
import io.forebay.chunk.ServiceFigures;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Metrics of the services that collectors have when this is bound; docs/metrics.md lists the names.
 * Counters are updated per chunk and read on demand, so a call costs nothing more.
 */
final class ChunkMetrics implements MeterBinder {

  private final Map<String, Collector> collectors;

  /**
   * @param collectors the collectors by bean name
   */
  ChunkMetrics(Map<String, Collector> collectors) {
    this.collectors = collectors;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    collectors.forEach((name, collector) -> {
      for (ServiceFigures service : collector.figures().services()) {
        bind(registry, name, collector, service.service());
      }
    });
  }

  private static void bind(
      MeterRegistry registry, String name, Collector collector, String service) {
    Tags tags = Tags.of("collector", name, "service", service);
    count(registry, "forebay.chunk.calls", tags, collector, service, ServiceFigures::calls);
    count(registry, "forebay.chunk.failures", tags, collector, service, ServiceFigures::failures);
    count(registry, "forebay.chunk.timeouts", tags, collector, service, ServiceFigures::timedOut);
    for (FlushReason reason : FlushReason.values()) {
      count(
          registry,
          "forebay.chunk.chunks",
          tags.and("reason", reason.name().toLowerCase(Locale.ROOT)),
          collector,
          service,
          figures -> figures.chunks(reason));
    }
    gauge(registry, "forebay.chunk.fill", tags, collector, service, ServiceFigures::fillRatio);
    gauge(registry, "forebay.chunk.pending", tags, collector, service, ServiceFigures::pending);
    gauge(registry, "forebay.chunk.in.flight", tags, collector, service, ServiceFigures::inFlight);
  }

  private static void count(
      MeterRegistry registry,
      String meter,
      Tags tags,
      Collector collector,
      String service,
      ToDoubleFunction<ServiceFigures> figure) {
    FunctionCounter.builder(meter, collector, it -> figure.applyAsDouble(of(it, service)))
        .tags(tags)
        .register(registry);
  }

  private static void gauge(
      MeterRegistry registry,
      String meter,
      Tags tags,
      Collector collector,
      String service,
      ToDoubleFunction<ServiceFigures> figure) {
    Gauge.builder(meter, collector, it -> figure.applyAsDouble(of(it, service)))
        .tags(tags)
        .register(registry);
  }

  private static ServiceFigures of(Collector collector, String service) {
    return collector.figures().service(service);
  }
}
