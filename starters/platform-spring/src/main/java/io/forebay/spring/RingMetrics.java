/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.spring;

import io.forebay.queue.QueueBackend;
import io.forebay.queue.Storage;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** The metrics of the rings that queues write through; see {@code docs/metrics.md}. */
final class RingMetrics implements MeterBinder {

  private final QueueBackend queues;

  RingMetrics(QueueBackend queues) {
    this.queues = queues;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    queues.storage().stream()
        .flatMap(it -> it.queues().stream())
        .filter(it -> it.ring() != null)
        .forEach(it -> bind(registry, it.queue()));
  }

  private void bind(MeterRegistry registry, String queue) {
    gauge(registry, queue, "capacity.bytes", "bytes", Storage.Ring::capacityBytes);
    gauge(registry, queue, "used.bytes", "bytes", Storage.Ring::usedBytes);
    gauge(registry, queue, "high.water.bytes", "bytes", Storage.Ring::highWaterBytes);
    gauge(registry, queue, "lag.seconds", "seconds", it -> it.lag().toNanos() / 1e9);
  }

  private void gauge(
      MeterRegistry registry,
      String queue,
      String name,
      String unit,
      ToDoubleFunction<Storage.Ring> value) {
    Gauge.builder(
            "forebay.ring." + name,
            () -> {
              Storage.Ring ring = ring(queue);
              return ring == null ? Double.NaN : value.applyAsDouble(ring);
            })
        .strongReference(true)
        .baseUnit(unit)
        .tag("queue", queue)
        .register(registry);
  }

  private Storage.@Nullable Ring ring(String queue) {
    return queues.storage().stream()
        .flatMap(it -> it.queues().stream())
        .filter(it -> it.queue().equals(queue))
        .findFirst()
        .map(Storage.OfQueue::ring)
        .orElse(null);
  }
}
