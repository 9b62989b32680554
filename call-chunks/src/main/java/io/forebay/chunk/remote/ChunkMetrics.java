/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.chunk.remote;

import io.forebay.chunk.CallCollector;
import io.forebay.chunk.ChunkedService;
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
 * Metrics of the services that collectors have when this is bound, with all calls of the services;
 * docs/admin.md lists the names. Counters are updated per chunk and read on demand, so a call costs
 * nothing more.
 */
final class ChunkMetrics implements MeterBinder {

  private final Map<String, CallCollector> collectors;

  /**
   * @param collectors the collectors by bean name
   */
  ChunkMetrics(Map<String, CallCollector> collectors) {
    this.collectors = collectors;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    collectors.forEach((name, collector) -> {
      for (ChunkedService<?, ?> service : collector.services()) {
        bind(registry, name, service);
      }
    });
  }

  private static void bind(MeterRegistry registry, String name, ChunkedService<?, ?> service) {
    Tags tags = Tags.of("collector", name, "service", service.name());
    count(registry, "forebay.chunk.calls", tags, service, ServiceFigures::calls);
    count(registry, "forebay.chunk.failures", tags, service, ServiceFigures::failures);
    count(registry, "forebay.chunk.timeouts", tags, service, ServiceFigures::timedOut);
    for (FlushReason reason : FlushReason.values()) {
      count(
          registry,
          "forebay.chunk.chunks",
          tags.and("reason", reason.name().toLowerCase(Locale.ROOT)),
          service,
          figures -> figures.chunks(reason));
    }
    gauge(registry, "forebay.chunk.fill", tags, service, ServiceFigures::fillRatio);
    gauge(registry, "forebay.chunk.pending", tags, service, ServiceFigures::pending);
    gauge(registry, "forebay.chunk.in.flight", tags, service, ServiceFigures::inFlight);
  }

  private static void count(
      MeterRegistry registry,
      String meter,
      Tags tags,
      ChunkedService<?, ?> service,
      ToDoubleFunction<ServiceFigures> figure) {
    FunctionCounter.builder(meter, service, it -> figure.applyAsDouble(it.figures()))
        .tags(tags)
        .register(registry);
  }

  private static void gauge(
      MeterRegistry registry,
      String meter,
      Tags tags,
      ChunkedService<?, ?> service,
      ToDoubleFunction<ServiceFigures> figure) {
    Gauge.builder(meter, service, it -> figure.applyAsDouble(it.figures()))
        .tags(tags)
        .register(registry);
  }
}
