/*
 * Copyright The Forebay Authors
 * SPDX-License-Identifier: Apache-2.0
 */
package io.forebay.batch;

import io.forebay.chunk.Collector;
import io.forebay.chunk.ServiceFigures;
import java.util.HashMap;
import java.util.Map;
import org.springframework.batch.infrastructure.item.ExecutionContext;

/**
 * The figures of a step's collector, stored in the step's execution context under {@code
 * forebay.chunk.<service>.<figure>}, summed over all executions of the step. Each step uses it on
 * its own thread; concurrent steps that share a collector share its counts.
 */
final class StepFigures {

  private static final String PREFIX = "forebay.chunk.";

  private final Collector collector;

  /**
   * The offset to the collector's counts: the stored counts of earlier executions, minus what the
   * collector counted before this step.
   */
  private final ThreadLocal<Map<String, Long>> offsets = ThreadLocal.withInitial(HashMap::new);

  StepFigures(Collector collector) {
    this.collector = collector;
  }

  void open(ExecutionContext context) {
    Map<String, Long> offset = new HashMap<>();
    counts().forEach((key, count) -> offset.put(key, context.getLong(key, 0) - count));
    context.entrySet().stream()
        .filter(it -> it.getKey().startsWith(PREFIX) && it.getValue() instanceof Long)
        .forEach(it -> offset.putIfAbsent(it.getKey(), (Long) it.getValue()));
    offsets.set(offset);
  }

  void update(ExecutionContext context) {
    Map<String, Long> offset = offsets.get();
    counts().forEach((key, count) -> context.putLong(key, count + offset.getOrDefault(key, 0L)));
    for (ServiceFigures service : collector.figures().services()) {
      context.putLong(PREFIX + service.service() + ".maxItems", service.maxItems());
    }
  }

  void close() {
    offsets.remove();
  }

  private Map<String, Long> counts() {
    Map<String, Long> counts = new HashMap<>();
    for (ServiceFigures service : collector.figures().services()) {
      String prefix = PREFIX + service.service() + ".";
      counts.put(prefix + "calls", service.calls());
      counts.put(prefix + "sent", service.sent());
      counts.put(prefix + "results", service.results());
      counts.put(prefix + "failures", service.failures());
      counts.put(prefix + "timedOut", service.timedOut());
      service
          .chunksByReason()
          .forEach((reason, chunks) -> counts.put(prefix + "chunks." + reason, chunks));
    }
    return counts;
  }
}
